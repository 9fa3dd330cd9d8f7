import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, requestIdOf } from '../../platform/index.ts';

/** A request, with what every part of the gateway needs to know of it. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  /** The path without the query string, as it was sent. */
  readonly path: string;
  /** The query string, without its question mark. */
  readonly search: string;
  readonly log: Logger;
}

/** A request and the response that it is owed. */
export interface Exchange extends Arrival {
  readonly response: ServerResponse;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
}

export function describeArrival(request: IncomingMessage, log: Logger): Arrival {
  const requestId = requestIdOf(request);
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  return {
    request,
    requestId,
    clientAddress: request.socket.remoteAddress ?? '',
    path: mark < 0 ? url : url.slice(0, mark),
    search: mark < 0 ? '' : url.slice(mark + 1),
    log: log.child({ request_id: requestId }),
  };
}

export function openExchange(request: IncomingMessage, response: ServerResponse, log: Logger): Exchange {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return { ...describeArrival(request, log), response, signal: gone.signal };
}
