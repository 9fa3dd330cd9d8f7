import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

/** Names to values, a list for a header that is sent several times; or names and values in turn, sent as they are. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>> | readonly string[];

export interface Sent {
  method?: string;
  headers?: RequestHeaders;
  body?: string | Buffer | undefined;
  /** Sends the body in these pieces, with chunked encoding. */
  chunks?: readonly (string | Buffer)[];
}

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text read as JSON; undefined when it is none. */
  readonly body: Body;
}

/** Sends one request on a connection of its own. Headers go out in the case in which they are given. */
export function send<Body = unknown>(url: string, sent: Sent = {}): Promise<Answer<Body>> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const outgoing = request(
      {
        hostname,
        port,
        // The URL parser would resolve dot segments, which some tests want to send.
        path: url.slice(new URL(url).origin.length) || pathname + search,
        method: sent.method ?? 'GET',
        headers: outgoingHeaders(sent, `${hostname}:${port}`) as OutgoingHttpHeaders,
        agent: false,
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: asJson(text) as Body,
          });
        });
      },
    );
    outgoing.on('error', reject);
    for (const piece of sent.chunks ?? []) outgoing.write(piece);
    outgoing.end(sent.body);
  });
}

function outgoingHeaders({ headers = {}, body, chunks }: Sent, host: string): unknown {
  const flat: string[] = Array.isArray(headers)
    ? [...headers]
    : Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one as string]));
  const names = new Set(flat.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  if (!names.has('host')) flat.push('Host', host);
  // Headers given as a flat list are not completed by node.
  if (body !== undefined && !names.has('content-length')) flat.push('Content-Length', String(Buffer.byteLength(body)));
  if (chunks) flat.push('Transfer-Encoding', 'chunked');
  return flat;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
