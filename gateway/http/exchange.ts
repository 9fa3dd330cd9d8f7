import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress, type Logger, requestIdOf } from '../../platform/index.ts';
import type { Compressor } from './compressor.ts';
import type { RequestRecord } from './request-record.ts';
import type { Endings } from './respond.ts';

/** A request, with what every part of the gateway needs to know of it. */
export interface Arrival {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  /** The path without the query string, as it was sent. */
  readonly path: string;
  /** The query string, without its question mark. */
  readonly search: string;
  /** Its lines carry the request id. */
  readonly log: Logger;
}

/** A request and the response that it is owed. */
export interface Exchange extends Arrival {
  readonly response: ServerResponse;
  /** What the access log says of it; undefined where there is none. */
  record: RequestRecord | undefined;
  /** Where the response is to end together with others. */
  readonly endings: Endings;
  /** Compresses long answers; undefined where it is switched off, for the bodies of requests as well. */
  readonly compressor: Compressor | undefined;
  /** Cuts the client off if it takes nothing of what it is sent for too long. */
  watchReading(): void;
  /** Calls `listener` when it is over: the response is finished, or the client has gone before it was. */
  onClose(listener: () => void): void;
}

export interface ExchangeSettings {
  /** How many proxies of ours stand in front of the gateway. */
  readonly trustedProxies: number;
  /** How long a client may take nothing of a long answer, in milliseconds. */
  readonly slowClientMs: number;
  /** Undefined where compression is switched off. */
  readonly compressor: Compressor | undefined;
}

/** @param trustedProxies how many proxies of ours stand in front of the gateway. */
export function describeArrival(request: IncomingMessage, log: Logger, trustedProxies: number): Arrival {
  return new ArrivedRequest(request, log, trustedProxies);
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  endings: Endings,
  log: Logger,
  settings: ExchangeSettings,
): Exchange {
  return new OpenExchange(request, response, endings, log, settings);
}

class ArrivedRequest implements Arrival {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly path: string;
  readonly search: string;
  readonly #parentLog: Logger;
  #log: Logger | undefined;

  constructor(request: IncomingMessage, log: Logger, trustedProxies: number) {
    const url = originForm(request);
    // Express reads it there.
    request.url = url;
    const mark = url.indexOf('?');
    this.request = request;
    this.requestId = requestIdOf(request);
    this.clientAddress = clientAddress(request, trustedProxies);
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.search = mark < 0 ? '' : url.slice(mark + 1);
    this.#parentLog = log;
  }

  // Most requests have nothing to log but the line that the access log makes of them.
  get log(): Logger {
    this.#log ??= this.#parentLog.child({ request_id: this.requestId });
    return this.#log;
  }
}

/**
 * The target without scheme and host. Clients that take the gateway for a proxy send the whole address, and then its host
 * is the one that counts (RFC 9112 section 3.2.2).
 */
function originForm(request: IncomingMessage): string {
  const { url: target = '/', headers } = request;
  if (target.startsWith('/')) return target;
  const [, host, path] = /^https?:\/\/([^/?#]*)(\/.*)$/is.exec(target) ?? [];
  if (host === undefined || path === undefined) return target;
  headers.host = host;
  return path;
}

class OpenExchange extends ArrivedRequest implements Exchange {
  readonly response: ServerResponse;
  readonly endings: Endings;
  readonly compressor: Compressor | undefined;
  record: RequestRecord | undefined = undefined;
  readonly #slowClientMs: number;
  readonly #listeners: (() => void)[] = [];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    endings: Endings,
    log: Logger,
    settings: ExchangeSettings,
  ) {
    super(request, log, settings.trustedProxies);
    this.response = response;
    this.endings = endings;
    this.compressor = settings.compressor;
    this.#slowClientMs = settings.slowClientMs;
    response.on('close', () => {
      for (const listener of this.#listeners) listener();
    });
  }

  watchReading(): void {
    this.response.setTimeout(this.#slowClientMs, () => {
      this.log.warn({ reason: 'the client does not read what it is sent' }, 'a response was given up');
      this.response.destroy();
    });
    // The next response of the connection may already wait for its turn, and what it waits for may take longer.
    this.response.prependOnceListener('finish', () => this.response.socket?.setTimeout(0));
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
