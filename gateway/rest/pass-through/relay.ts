import type { Dispatcher } from 'undici';
import { GatewayError } from '../../errors.ts';
import { type Exchange, sendFlatError } from '../../http/index.ts';
import { type CallOutcome, outcomeOf } from '../../sources/index.ts';
import { type AnswerPolicy, headersOfAnswer } from './answer-headers.ts';
import type { LiveConnections, Place } from './places.ts';
import { hasBody, RequestBody } from './request-body.ts';

/** Where a request goes, and how. */
export interface RelayTarget {
  /** The service's name, for errors and log lines. */
  readonly name: string;
  readonly dispatcher: Dispatcher;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For how long nothing may come or go, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly policy: AnswerPolicy;
  /** Cookies that go to the client before those of the service. */
  readonly cookies: readonly string[];
}

/** What a request holds while it is under way. */
export interface RelayPlaces {
  /** Its own, given back when it is over. */
  readonly own: Place;
  /** Where it changes to, should its answer be an event stream. */
  readonly live: LiveConnections;
}

/**
 * Relays one request to a service and its answer to the client, both as they come. undici writes how the request is
 * framed, so that nothing of the client's framing reaches the service, and ends the connection to the service whenever
 * one of the two messages on it is not complete.
 */
export function relay(exchange: Exchange, target: RelayTarget, places: RelayPlaces): void {
  new Relay(exchange, target, places).start();
}

class Relay implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #target: RelayTarget;
  readonly #idle: NodeJS.Timeout;
  readonly #live: LiveConnections;
  #place: Place;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #isOver = false;
  readonly #startedAt = performance.now();

  constructor(exchange: Exchange, target: RelayTarget, places: RelayPlaces) {
    this.#exchange = exchange;
    this.#target = target;
    this.#place = places.own;
    this.#live = places.live;
    this.#idle = setTimeout(() => this.#giveUp(new IdleTooLong()), target.idleTimeoutMs);
  }

  start(): void {
    const { request, response } = this.#exchange;
    const { dispatcher, path, headers } = this.#target;
    if (response.destroyed) {
      this.#end();
      return;
    }
    this.#exchange.onClose(() => this.#giveUp(new ClientGone()));
    const length = request.headers['content-length'];
    const body = hasBody(request) ? new RequestBody(request, () => this.#idle.refresh()) : null;
    dispatcher.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path,
        headers: body && length !== undefined ? { ...headers, 'content-length': length } : headers,
        body,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It may have waited for a connection for too long.
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#idle.refresh();
    // What a service says before its answer (RFC 9110 section 15.2) is about a client of HTTP that it cannot know.
    if (status < 200) return;
    const { response, request } = this.#exchange;
    if (!isRelayable(status)) {
      this.#giveUp(new Error(`the status ${status}`));
      return;
    }
    const { policy, cookies } = this.#target;
    const headers = headersOfAnswer(status, (controller.rawHeaders ?? []) as Buffer[], policy, request.headers.host);
    const isEventStream = /^text\/event-stream\b/i.test(String(headers['content-type']));
    if (isEventStream && !this.#staysOpen()) return;
    if (cookies.length > 0) headers['set-cookie'] = [...cookies, ...[headers['set-cookie'] ?? []].flat()];
    const own = response.getHeader('vary');
    if (typeof own === 'string' && headers.vary !== undefined) headers.vary = `${own}, ${headers.vary}`;
    response.writeHead(status, headers);
    // It is complete (RFC 9112 section 6.3), though undici misses the body whose length a 304 may tell.
    if (status === 204 || status === 304) this.onResponseEnd();
    // Whoever waits for events wants to know that they will come, though the first may be far away.
    if (isEventStream) response.flushHeaders();
  }

  /** Leaves its place to a request that ends. @returns false when too many stay open. */
  #staysOpen(): boolean {
    try {
      const place = this.#live.enter();
      this.#place.leave();
      this.#place = place;
      return true;
    } catch (refusal) {
      this.#giveUp(refusal as GatewayError);
      return false;
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#idle.refresh();
    const { response } = this.#exchange;
    if (response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    this.#record(outcomeOf(this.#exchange.response.statusCode));
    this.#exchange.response.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.#end()) return;
    const { response, log } = this.#exchange;
    const { name } = this.#target;
    const reason = this.#failure ?? error;
    this.#record(failureOf(reason));
    if (reason instanceof ClientGone) return;
    if (reason instanceof GatewayError) {
      sendFlatError(this.#exchange, reason);
      return;
    }
    log.warn({ service: name, reason: reason.message }, 'a service did not answer');
    // Where the answer has begun there is no other way to say that it is not complete.
    if (response.headersSent) response.destroy();
    else sendFlatError(this.#exchange, reason instanceof IdleTooLong ? tooLate(name) : unreachable(name));
  }

  #record(outcome: CallOutcome): void {
    this.#exchange.record?.addCall(this.#target.name, 'service', outcome, performance.now() - this.#startedAt);
  }

  #giveUp(reason: Error): void {
    if (this.#isOver || this.#failure) return;
    this.#failure = reason;
    if (this.#controller) this.#controller.abort(reason);
    else this.onResponseError(undefined as never, reason);
  }

  /** @returns false when it was over already. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#place.leave();
    return true;
  }
}

function failureOf(reason: Error): CallOutcome {
  if (reason instanceof ClientGone) return 'aborted';
  if (reason instanceof GatewayError) return 'overloaded';
  return reason instanceof IdleTooLong ? 'timeout' : 'connection';
}

class IdleTooLong extends Error {
  constructor() {
    super('timeout');
  }
}

class ClientGone extends Error {
  constructor() {
    super('the client went away');
  }
}

/** Whether a service may answer so: clients would take a 407 for that of a proxy of theirs (RFC 9110 section 15.5.8). */
export function isRelayable(status: number): boolean {
  return status !== 407 && status <= 599;
}

export function unreachable(name: string): GatewayError {
  return new GatewayError('unexpected', `the service "${name}" cannot be reached`, { status: 502 });
}

export function tooLate(name: string): GatewayError {
  return new GatewayError('unexpected', `the service "${name}" did not answer in time`, { status: 504 });
}
