import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../../platform/index.ts';
import type { Session } from '../session/index.ts';
import {
  type Call,
  type CallRecorder,
  type Cancellation,
  type HttpHints,
  isRelayed,
  type OperationAnswer,
  type RelayedBytes,
  type SentFiles,
} from '../sources/index.ts';
import type { Client } from './client.ts';
import { resultIn } from './data-bytes.ts';
import { executionErrors, type PublicError, unforeseenError } from './errors.ts';
import { withinTime } from './limits-time.ts';
import type { ReadyOperation } from './ready-operation.ts';
import { takeEnvelope } from './reference-envelope.ts';

/** What came of an operation that was run. */
export interface OperationResult {
  /** The whole response as a source sent it, in place of all members but `http`. */
  readonly bytes?: RelayedBytes;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly PublicError[];
  /** Members of the response beside `data` and `errors`. */
  readonly beside: Readonly<Record<string, unknown>>;
  /** What the sources said about the HTTP response. */
  readonly http: HttpHints;
}

/** What its caller can do with a result. */
export interface ResultWishes {
  /** Whether a login's response gets the member that the reference contract shows. */
  readonly withEnvelope: boolean;
  /** Whether bytes can be relayed. */
  readonly asBytes: boolean;
}

const NOTHING: OperationResult['beside'] = Object.freeze({});

/** Runs a prepared operation by its plan. `done` is told what came of it, once; nothing is thrown. */
export function runOperation(
  ready: ReadyOperation,
  wishes: ResultWishes,
  done: (result: OperationResult) => void,
): void {
  const startedAt = performance.now();
  withinTime(
    ready.seconds,
    ready.client.cancellation,
    (cancellation, finish) => runPlan(ready, wishes, cancellation, finish),
    () => tooLate(ready.session),
    (result) => {
      ready.client.record?.addErrors(result.errors);
      ready.counts.end(ready.operation.operation, result.errors !== undefined, performance.now() - startedAt);
      done(result);
    },
  );
}

function runPlan(
  ready: ReadyOperation,
  { withEnvelope, asBytes }: ResultWishes,
  cancellation: Cancellation,
  done: (result: OperationResult) => void,
): void {
  const { plans, request } = ready;
  const call = new OperationCall(ready, cancellation);
  const enveloped = withEnvelope ? plans.enveloped : undefined;
  const plan = enveloped ?? plans.plan;
  const finish = (answer: OperationAnswer) => {
    if (asBytes && !enveloped && isRelayed(answer)) done({ bytes: answer, beside: NOTHING, http: call.http });
    else done(resultOf(answer, call, enveloped !== undefined));
  };
  try {
    plan.run(request.variables, call, finish);
  } catch (error) {
    finish({ data: null, errors: [unforeseenError(error)] });
  }
}

/** What the sources get to know of an operation. */
export class OperationCall implements Call {
  readonly session: Session;
  readonly query: string;
  readonly cancellation: Cancellation;
  readonly http: HttpHints;
  readonly files: SentFiles | undefined;
  readonly #client: Client;

  constructor({ session, query, client, request }: ReadyOperation, cancellation: Cancellation) {
    this.session = session;
    this.query = query;
    this.cancellation = cancellation;
    this.http = { headers: {}, cookies: [...session.cookies] };
    this.files = request.files;
    this.#client = client;
  }

  get requestId(): string {
    return this.#client.requestId;
  }

  get clientAddress(): string {
    return this.#client.address;
  }

  get clientHeaders(): IncomingHttpHeaders {
    return this.#client.headers;
  }

  get log(): Logger {
    return this.#client.log;
  }

  get record(): CallRecorder | undefined {
    return this.#client.record;
  }
}

/** The result that an answer is to the client. */
export function resultOf(answer: OperationAnswer, call: Call, isEnveloped: boolean): OperationResult {
  const result = resultIn(answer);
  const { http } = call;
  // A logger is made for those who ask for it.
  const errors = (result.errors ?? []).flatMap((error) => executionErrors(error, call.log));
  const { data, beside } = isEnveloped ? takeEnvelope(result.data) : { data: result.data, beside: NOTHING };
  return { data: data ?? null, ...(errors.length > 0 && { errors }), beside, http };
}

/** What an operation comes to that has had its time. */
export function tooLate({ cookies }: Session): OperationResult {
  const message = 'the operation took longer than its time limit; a mutation may still have its effect';
  const extensions = { path: '$', code: 'tenant-time-limit-exceeded', reason: 'timeout' };
  return {
    data: null,
    errors: [{ message, extensions }],
    beside: NOTHING,
    http: { headers: {}, cookies: [...cookies] },
  };
}
