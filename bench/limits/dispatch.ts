import type { ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const RESPONSE_HEADERS = { 'content-type': 'application/json' };

/** Sends POST requests to one origin with the least overhead that undici allows. */
export type Dispatch = (path: string, body: string | Buffer, done: (answer: Buffer | undefined) => void) => void;

export function dispatcherTo(origin: string): Dispatch {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 });
  return (path, body, done) => {
    const chunks: Buffer[] = [];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart() {},
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      },
      onResponseError() {
        done(undefined);
      },
    };
    pool.dispatch({ path, method: 'POST', headers: RESPONSE_HEADERS, body }, handler);
  };
}

/** Responds with `body`, or with 502 if there is none. */
export function sendResponse(response: ServerResponse, body: Buffer | string | undefined): void {
  if (body === undefined) {
    response.writeHead(502).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
