import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { headerOf, type Message, MessageReader } from './message-reader.ts';

/** A request that the canary read. */
export interface Sighting {
  /** Which connection it came over, counted from 1. */
  readonly connection: number;
  readonly method: string;
  readonly target: string;
  readonly message: Message;
}

/** A service that takes the bytes of its connections at their word, and writes down what they mean to it. */
export interface Canary {
  readonly url: string;
  readonly sightings: readonly Sighting[];
  /** Bytes that are no request, with the connection that they came over. */
  readonly garbage: readonly string[];
  readonly openConnections: number;
  close(): Promise<void>;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * Opens a canary. How it answers stands in the path: `early` before the body has come, `hints` after an early hint,
 * `chunked`, `closing`, `refused` with an error, `broken` not to its end, `switch` with a WebSocket that sends back what it
 * is sent, `wrong-switch` with one whose key is wrong. Every answer tells the target and the claims of its request.
 */
export async function openCanary(): Promise<Canary> {
  const sightings: Sighting[] = [];
  const garbage: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    const isEarly = (message: Message) => targetOf(message).includes('early');
    const reader = new MessageReader({
      onHead: (message) => {
        const [method = '', target = ''] = message.start.split(' ');
        sightings.push({ connection, method, target, message });
        if (isSwitch(message)) {
          socket.write(switching(message));
          reader.stop();
          socket.on('data', (piece) => socket.write(piece));
        } else if (isEarly(message)) socket.write(answerTo(message));
      },
      onBody: (message) => {
        if (isEarly(message)) return;
        socket.write(answerTo(message));
        const target = targetOf(message);
        if (target.includes('closing')) socket.end();
        if (target.includes('broken')) socket.destroySoon();
      },
      onGarbage: (reason, bytes) => {
        garbage.push(`connection ${connection}: ${reason}: ${JSON.stringify(bytes)}`);
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      },
    });
    socket.on('data', (piece) => reader.read(piece.toString('latin1')));
    socket.on('end', () => reader.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sightings,
    garbage,
    get openConnections() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function targetOf({ start }: Message): string {
  return start.split(' ')[1] ?? '';
}

function isSwitch(message: Message): boolean {
  return headerOf(message, 'upgrade') !== undefined && targetOf(message).includes('switch');
}

function switching(message: Message): string {
  const key = targetOf(message).includes('wrong-switch') ? 'wrong' : headerOf(message, 'sec-websocket-key');
  const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
}

/** What the canary answers: the marker and the claims of the request, wherever they stand in it. */
function answerTo(message: Message): string {
  const target = targetOf(message);
  const body = JSON.stringify(seenIn(message));
  const status = target.includes('refused') ? '404 Not Found' : '200 OK';
  const hints = target.includes('hints') ? 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n' : '';
  const head = `${hints}HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n`;
  const shown = message.start.startsWith('HEAD ') ? '' : body;
  if (target.includes('chunked'))
    return `${head}transfer-encoding: chunked\r\n\r\n${shown && `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`}`;
  const length = target.includes('broken') ? body.length + 10 : body.length;
  return `${head}content-length: ${length}\r\n\r\n${shown}`;
}

/** Which request it was, and whose, as a service sees it. */
export function seenIn(message: Message): { marker: string; tenant: string | undefined } {
  const call = message.body.startsWith('{"action"') ? JSON.parse(message.body) : undefined;
  if (call) return { marker: call.input.marker, tenant: call.session_variables['x-hasura-tenant-id'] };
  const marker = /m\d+-\w*/.exec(targetOf(message))?.[0] ?? '';
  return { marker, tenant: headerOf(message, 'x-hasura-tenant-id') };
}
