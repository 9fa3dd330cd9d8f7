import type { IncomingHttpHeaders } from 'node:http';
import type { Cancellation, Logger, Span } from '../../platform/index.ts';
import type { Session } from '../access/session/index.ts';
import {
  contextBelow,
  type HttpHints,
  type OperationAnswer,
  type OperationContext,
  type SentFiles,
} from '../sources/index.ts';
import type { RequestContext } from '../transports/http/index.ts';
import { type CallRecorder, PassthroughBody } from '../upstream/index.ts';
import type { ExecutableRequest } from './requests.ts';
import {
  executionErrors,
  type PublicError,
  resultIn,
  takeEnvelope,
  timeLimitExceeded,
  unforeseenError,
} from './response/index.ts';
import { withinTimeLimit } from './time-limit.ts';

/** The result of an operation. */
export interface OperationResult {
  /** The whole response as a source sent it. Replaces all members except `http`. */
  readonly bytes?: PassthroughBody;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly PublicError[];
  /** The whole response as JSON if it is serialized once for several clients. */
  readonly text?: string;
  /** Members of the response besides `data` and `errors`. */
  readonly beside: Readonly<Record<string, unknown>>;
  /** HTTP status, headers and cookies that sources set on the response. */
  readonly http: HttpHints;
}

/** The format of results that a transport needs. */
export interface ResultFormat {
  /** Whether the response to a login gets the member that the reference contract shows. */
  readonly withEnvelope: boolean;
  /** Whether the transport can relay bytes. */
  readonly asBytes: boolean;
}

const NO_MEMBERS: OperationResult['beside'] = Object.freeze({});

/** Executes a prepared operation according to its plan. Never throws. Calls `done` exactly once with the result. */
export function executeOperation(
  executable: ExecutableRequest,
  format: ResultFormat,
  done: (result: OperationResult) => void,
): void {
  const startedAt = performance.now();
  withinTimeLimit(
    executable.seconds,
    executable.context.cancellation,
    (cancellation, finish) => runPlan(executable, format, cancellation, finish),
    () => operationTimeout(executable.session),
    (result) => {
      const { context, counts, named, operation, usage } = executable;
      context.record?.addErrors(result.errors);
      const durationMs = performance.now() - startedAt;
      const hasErrors = result.errors !== undefined;
      counts.end(operation.operation, hasErrors, durationMs, context.span);
      named?.ran(executable, hasErrors, durationMs);
      usage?.ran(context.clientHeaders, result.errors?.length ?? 0, durationMs);
      done(withExplanation(result, executable));
    },
  );
}

/** Adds the explanation, if there is one, to the other members, such as a login's envelope. */
function withExplanation(result: OperationResult, { explanation }: ExecutableRequest): OperationResult {
  if (!explanation) return result;
  return { ...result, beside: { ...result.beside, extensions: explanation.extensions } };
}

function runPlan(
  executable: ExecutableRequest,
  { withEnvelope, asBytes }: ResultFormat,
  cancellation: Cancellation,
  done: (result: OperationResult) => void,
): void {
  const { plans, request } = executable;
  const execution = new ExecutionContext(executable, cancellation);
  const enveloped = withEnvelope ? plans.enveloped : undefined;
  const plan = enveloped ?? plans.plan;
  const isRelayed = asBytes && !enveloped && !executable.explanation;
  const finish = (answer: OperationAnswer) => {
    if (isRelayed && answer instanceof PassthroughBody)
      done({ bytes: answer, beside: NO_MEMBERS, http: execution.http });
    else done(resultOf(answer, execution, enveloped !== undefined));
  };
  try {
    plan.run(request.variables, execution, finish);
  } catch (error) {
    finish({ data: null, errors: [unforeseenError(error)] });
  }
}

/** The context of an operation's execution for its sources. */
export class ExecutionContext implements OperationContext {
  readonly session: Session;
  readonly query: string;
  readonly cancellation: Cancellation;
  readonly http: HttpHints;
  readonly files: SentFiles | undefined;
  readonly #request: RequestContext;
  readonly #explanation: ExecutableRequest['explanation'];

  constructor({ session, query, context, request, explanation }: ExecutableRequest, cancellation: Cancellation) {
    this.session = session;
    this.query = query;
    this.cancellation = cancellation;
    this.http = { headers: {}, cookies: [...session.cookies] };
    this.files = request.files;
    this.#explanation = explanation;
    this.#request = context;
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  get clientAddress(): string {
    return this.#request.clientAddress;
  }

  get clientHeaders(): IncomingHttpHeaders {
    return this.#request.clientHeaders;
  }

  get log(): Logger {
    return this.#request.log;
  }

  get record(): CallRecorder | undefined {
    return this.#explanation ?? this.#request.record;
  }

  get span(): Span | undefined {
    return this.#request.span;
  }

  get handlerDepth(): number | undefined {
    return this.#request.handlerDepth;
  }

  beginJoin(): { readonly context: OperationContext; end(requests: number): void } | undefined {
    const { span } = this;
    if (!span?.isRecording) return undefined;
    const join = span.startChild('join');
    return {
      context: contextBelow(this, join),
      end: (requests) => {
        join.setAttribute('portico.join.requests', requests);
        join.end();
      },
    };
  }
}

/** Converts a source's result into the result for the client. */
export function resultOf(answer: OperationAnswer, context: OperationContext, isEnveloped: boolean): OperationResult {
  const result = resultIn(answer);
  const { http } = context;
  // The logger is created at its first use.
  const errors = (result.errors ?? []).flatMap((error) => executionErrors(error, context.log));
  const { data, beside } = isEnveloped ? takeEnvelope(result.data) : { data: result.data, beside: NO_MEMBERS };
  return { data: data ?? null, ...(errors.length > 0 && { errors }), beside, http };
}

/** The result of an operation that exceeded its time limit. */
export function operationTimeout({ cookies }: Session): OperationResult {
  return {
    data: null,
    errors: [timeLimitExceeded()],
    beside: NO_MEMBERS,
    http: { headers: {}, cookies: [...cookies] },
  };
}
