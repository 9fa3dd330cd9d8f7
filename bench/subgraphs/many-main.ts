import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { type ManyKind, manySdl } from './many.ts';

// The services of the measurement `many-services`, in one process. POST /<number> is a service, which describes itself and
// resolves root fields to their own names. POST /<number>/change adds a root field to it. GET /<number>/told returns when the
// service first reported its last change, in milliseconds since 1970.

const kind = process.env.KIND as ManyKind;
const services = Number(process.env.SERVICES);
const types = Number(process.env.TYPES);

interface State {
  revision: number;
  description: Buffer;
  toldAt: number | undefined;
}

const states = Array.from(
  { length: services },
  (_, index): State => ({ ...serviceDescription(index, 0), toldAt: undefined }),
);

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => respondAsService(request, response, Buffer.concat(chunks).toString()));
}).listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 60_000;

function respondAsService({ url = '' }: IncomingMessage, response: ServerResponse, body: string): void {
  const [, number = '', command] = url.split('/');
  const state = states[Number(number)];
  if (!state) sendJsonBody(response, Buffer.from('{"errors":[{"message":"no such service"}]}'));
  else if (command === 'change') {
    Object.assign(state, serviceDescription(Number(number), state.revision + 1), { toldAt: undefined });
    sendJsonBody(response, Buffer.from(String(state.revision)));
  } else if (command === 'told') sendJsonBody(response, Buffer.from(String(state.toldAt ?? 'null')));
  else if (/_service|_sdl|__schema/.test(body)) {
    state.toldAt ??= Date.now();
    sendJsonBody(response, state.description);
  } else {
    const fields = body.match(/\b(?:hello\d+|changed\d+_\d+)\b/g) ?? [];
    const data = Object.fromEntries(fields.map((field) => [field, field]));
    sendJsonBody(response, Buffer.from(JSON.stringify({ data })));
  }
}

function serviceDescription(index: number, revision: number): Pick<State, 'revision' | 'description'> {
  const sdl = manySdl({ kind, index, services, types, revision });
  const data = {
    federation: () => ({ _service: { sdl } }),
    stitching: () => ({ _sdl: sdl }),
    plain: () => introspectionFromSchema(buildSchema(sdl)),
  }[kind]();
  return { revision, description: Buffer.from(JSON.stringify({ data })) };
}

function sendJsonBody(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
