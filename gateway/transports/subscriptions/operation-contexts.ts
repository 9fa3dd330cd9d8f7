import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Cancellation, isJsonObject, PROPAGATION_HEADERS } from '../../../platform/index.ts';
import {
  type IncomingRequest,
  type OperationEvent,
  type OperationLog,
  type OperationSpan,
  type OperationSpans,
  type RequestContext,
  RequestRecord,
} from '../http/index.ts';

/** An operation over a WebSocket, with the context for its stages, log lines and trace. */
export interface OpenOperation {
  readonly context: RequestContext;
  log(event: OperationEvent['event'], durationMs?: number): void;
  /** Ends the operation's span. */
  end(): void;
}

export interface OperationContextsOptions {
  readonly incoming: IncomingRequest;
  readonly logOperation: OperationLog;
  readonly operationSpans: OperationSpans;
}

/** Creates the `RequestContext` of operations over a WebSocket, which have no HTTP request of their own. */
export class OperationContexts {
  readonly #options: OperationContextsOptions;
  /** The trace headers of the handshake and of `connection_init`. */
  readonly #traceContext: IncomingHttpHeaders = {};

  constructor(options: OperationContextsOptions) {
    this.#options = options;
  }

  /**
   * Removes the caller's trace context from the headers of a connection, and keeps it for its operations. Services receive the
   * context of the gateway's spans, never the caller's.
   *
   * @returns the remaining headers.
   */
  takeTraceContext(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    if (!this.#options.operationSpans.isOn) return headers;
    const others = { ...headers };
    for (const name of PROPAGATION_HEADERS) {
      const given = headers[name];
      if (typeof given === 'string') this.#traceContext[name] = given;
      delete others[name];
    }
    return others;
  }

  /**
   * @param headers of all operations of the connection.
   * @param payload of the message. Its `extensions` may contain the caller's trace context under the names of the headers. The
   * connection itself has only one context for all of its operations.
   */
  open(headers: IncomingHttpHeaders, payload: unknown, cancellation: Cancellation): OpenOperation {
    const { incoming, logOperation, operationSpans } = this.#options;
    const { requestId: ofHandshake, clientAddress } = incoming;
    const traced = operationSpans.begin(incoming, { ...this.#traceContext, ...traceContextOf(payload) });
    const operationId = randomUUID();
    const context: RequestContext = {
      clientHeaders: headers,
      requestId: operationId,
      clientAddress,
      cancellation,
      log: incoming.log.child({ operation_id: operationId, ...traceIds(traced) }),
      record: logOperation || traced?.span.isRecording ? new RequestRecord() : undefined,
      span: traced?.span,
    };
    const { record, span } = context;
    return {
      context,
      log: (event, durationMs) => {
        if (!record || !logOperation) return;
        logOperation({ event, requestId: ofHandshake, operationId, clientAddress, headers, record, durationMs, span });
      },
      end: () => traced?.end(record),
    };
  }
}

/** Returns the caller's trace context in the `extensions` of an operation. */
function traceContextOf(payload: unknown): IncomingHttpHeaders {
  const context: IncomingHttpHeaders = {};
  if (!isJsonObject(payload) || !isJsonObject(payload.extensions)) return context;
  for (const name of PROPAGATION_HEADERS) {
    const given = payload.extensions[name];
    if (typeof given === 'string') context[name] = given;
  }
  return context;
}

function traceIds(traced: OperationSpan | undefined) {
  return traced && { trace_id: traced.span.traceId, span_id: traced.span.spanId };
}
