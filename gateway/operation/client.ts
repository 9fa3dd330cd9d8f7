import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../../platform/index.ts';
import type { Exchange, RequestRecord } from '../http/index.ts';
import { Cancellation } from '../sources/index.ts';

/** Who sends an operation, as far as HTTP tells. */
export interface Client {
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly address: string;
  /** Cancelled when the client goes away before it has its answer. */
  readonly cancellation: Cancellation;
  readonly log: Logger;
  /** What the access log says of its operations; undefined where there is none. */
  readonly record: RequestRecord | undefined;
}

/** The client of an HTTP request. */
export function clientOf(exchange: Exchange): Client {
  return new HttpClient(exchange);
}

class HttpClient implements Client {
  readonly cancellation = new Cancellation();
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onClose(() => {
      if (!exchange.response.writableFinished) this.cancellation.cancel();
    });
  }

  get headers(): IncomingHttpHeaders {
    return this.#exchange.request.headers;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get address(): string {
    return this.#exchange.clientAddress;
  }

  get log(): Logger {
    return this.#exchange.log;
  }

  get record(): RequestRecord | undefined {
    return this.#exchange.record;
  }
}
