import type { Dispatcher } from 'undici';
import type { Span } from '../../../../platform/index.ts';
import { GatewayError } from '../../../errors.ts';
import { type CallOutcome, MAX_INFORMATIONAL_RESPONSES, outcomeOf } from '../../../upstream/index.ts';
import { type HttpExchange, type LiveConnections, type Slot, sendFlatError } from '../../http/index.ts';
import { serviceTimeout, serviceUnreachable } from '../errors.ts';
import { type AnswerPolicy, headersOfAnswer, headProblem } from './answer-headers.ts';
import { type CallTracing, headersWithContext, startCall } from './call-span.ts';
import { hasBody, RequestBody } from './request-body.ts';

/** The target of a relayed request. */
export interface RelayTarget {
  /** The service's name, for errors and log lines. */
  readonly name: string;
  readonly dispatcher: Dispatcher;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tracing: CallTracing;
  /** How long the connection may be idle, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly policy: AnswerPolicy;
  /** Cookies that are set before those of the service. */
  readonly cookies: readonly string[];
}

/** The slots of a running request. */
export interface RelaySlots {
  /** The slot at the service, released at the end of the request. */
  readonly own: Slot;
  /** Provides the slot that replaces `own` if the response is an event stream. */
  readonly live: LiveConnections;
}

/**
 * Streams a request to a service and its response to the client. undici frames the request, so the client's framing never
 * reaches the service. undici also closes the connection to the service if either message on it is incomplete.
 */
export function relay(exchange: HttpExchange, target: RelayTarget, slots: RelaySlots): void {
  new ResponseRelay(exchange, target, slots).start();
}

class ResponseRelay implements Dispatcher.DispatchHandler {
  readonly #exchange: HttpExchange;
  readonly #target: RelayTarget;
  readonly #idle: NodeJS.Timeout;
  readonly #live: LiveConnections;
  #slot: Slot;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #informational = 0;
  #isOver = false;
  readonly #startedAt = performance.now();
  #span: Span | undefined;

  constructor(exchange: HttpExchange, target: RelayTarget, slots: RelaySlots) {
    this.#exchange = exchange;
    this.#target = target;
    this.#slot = slots.own;
    this.#live = slots.live;
    this.#idle = setTimeout(() => this.#giveUp(new IdleTooLong()), target.idleTimeoutMs);
  }

  start(): void {
    const { request, response } = this.#exchange;
    const { dispatcher, path, name, tracing } = this.#target;
    if (response.destroyed) {
      this.#end();
      return;
    }
    this.#exchange.onClose(() => this.#giveUp(new ClientGone()));
    this.#span = startCall(this.#exchange.span, request.method, name, tracing);
    const headers = headersWithContext(this.#target.headers, this.#span, tracing);
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
    // The timeout may have passed while the request waited for a connection.
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    this.#idle.refresh();
    // Informational responses (RFC 9110 section 15.2) are meant for the service's direct client, the gateway.
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL_RESPONSES)
        this.#giveUp(new Error('too many informational responses'));
      return;
    }
    const { response, request } = this.#exchange;
    const raw = (controller.rawHeaders ?? []) as Buffer[];
    const problem = headProblem(status, raw);
    if (problem) {
      this.#giveUp(new Error(problem));
      return;
    }
    const { policy, cookies } = this.#target;
    const headers = headersOfAnswer(status, raw, policy, request.headers.host);
    const isEventStream = /^text\/event-stream\b/i.test(String(headers['content-type']));
    if (isEventStream && !this.#staysOpen()) return;
    if (cookies.length > 0) headers['set-cookie'] = [...cookies, ...[headers['set-cookie'] ?? []].flat()];
    const own = response.getHeader('vary');
    if (typeof own === 'string' && headers.vary !== undefined) headers.vary = `${own}, ${headers.vary}`;
    response.writeHead(status, headers);
    // The response is complete (RFC 9112 section 6.3), but undici waits for a body if a 304 states its length.
    if (status === 204 || status === 304) this.onResponseEnd();
    // A client of an event stream needs the headers now, although the first event may come much later.
    if (isEventStream) response.flushHeaders();
  }

  /** Replaces the slot at the service by one of a live connection. @returns false if too many live connections are open. */
  #staysOpen(): boolean {
    try {
      const slot = this.#live.take();
      this.#slot.release();
      this.#slot = slot;
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
    this.#record(outcomeOf(this.#exchange.response.statusCode), this.#exchange.response.statusCode);
    this.#exchange.response.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (!this.#end()) return;
    const { response, log } = this.#exchange;
    const { name } = this.#target;
    const reason = this.#failure ?? error;
    this.#record(relayFailure(reason));
    if (reason instanceof ClientGone) return;
    if (reason instanceof GatewayError) {
      sendFlatError(this.#exchange, reason);
      return;
    }
    log.warn({ event: 'upstream.call_failed', source: name, reason: reason.message }, 'call to a service failed');
    // Once the response has begun, closing the connection is the only way to show that it is incomplete.
    if (response.headersSent) response.destroy();
    else sendFlatError(this.#exchange, reason instanceof IdleTooLong ? serviceTimeout(name) : serviceUnreachable(name));
  }

  /** @param status of the complete response. Undefined if there is none. */
  #record(outcome: CallOutcome, status?: number): void {
    if (status !== undefined) this.#span?.setAttribute('http.response.status_code', status);
    // A request whose client has disconnected has not failed.
    if (outcome === 'aborted') this.#span?.setAttribute('error.type', outcome);
    else if (outcome !== 'success') this.#span?.fail(status === undefined ? outcome : String(status));
    this.#span?.end();
    this.#exchange.record?.addCall(this.#target.name, 'service', outcome, performance.now() - this.#startedAt);
  }

  #giveUp(reason: Error): void {
    if (this.#isOver || this.#failure) return;
    this.#failure = reason;
    if (this.#controller) this.#controller.abort(reason);
    else this.onResponseError(undefined as never, reason);
  }

  /** @returns false if the request had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#idle);
    this.#slot.release();
    return true;
  }
}

function relayFailure(reason: Error): CallOutcome {
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
