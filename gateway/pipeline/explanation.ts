import type { IncomingHttpHeaders } from 'node:http';
import type { CallExplanation, CallOutcome, CallRecorder } from '../upstream/index.ts';

/** The request header that requests `extensions.portico`. Its value is `true` or `1`. */
const EXPLAIN_HEADER = 'x-portico-explain';

/** Whether a request asks for an explanation. `ExplanationPolicy` decides whether it gets one. */
export function asksForExplanation(headers: IncomingHttpHeaders): boolean {
  const asked = headers[EXPLAIN_HEADER];
  return asked !== undefined && (asked === 'true' || asked === '1');
}

/** The maximum number of calls that an explanation lists. Further calls are only counted. */
const MAX_CALLS = 100;
/** The maximum number of listed steps of a plan. */
const MAX_STEPS = 100;

/** A part of a plan that one source resolves, with only names of the schema: no arguments, variables or addresses. */
export interface ExplainedStep {
  readonly source: string;
  /** The root fields. A fetch of entities has the path of its objects in the response instead. */
  readonly fields?: readonly string[];
  readonly path?: string;
  /** Steps with the same number run concurrently, after those with smaller numbers. */
  readonly wave: number;
}

export interface ExplainedPlan {
  readonly kind: string;
  /** Whether the operation was planned before. */
  readonly cached: boolean;
  /** Undefined if the plan is decided during execution. In that case the calls show what was done. */
  readonly steps?: readonly ExplainedStep[] | undefined;
}

/** A measure of the document and its limit. The limit is undefined if the role has none. */
export interface ExplainedCost {
  readonly value: number;
  readonly limit?: number;
}

export interface ExplanationStart {
  readonly role: string;
  readonly requestId: string;
  readonly traceId: string | undefined;
  readonly isValidated: boolean;
  readonly cost: Readonly<Record<string, ExplainedCost>>;
  /** Also receives the recorded calls, for the log and the trace. */
  readonly record: CallRecorder | undefined;
}

/** The explanation of a response: `extensions.portico`. Times are in milliseconds. */
export class Explanation implements CallRecorder {
  readonly #startedAt = performance.now();
  readonly #start: ExplanationStart;
  readonly #calls: ExplainedCall[] = [];
  #omittedCalls = 0;
  #event: number | undefined;
  #plan: (() => ExplainedPlan) | undefined;

  constructor(start: ExplanationStart) {
    this.#start = start;
  }

  /** @param describe called after the operation has run. */
  planned(describe: () => ExplainedPlan): void {
    this.#plan = describe;
  }

  /** Begins the next event of a subscription. The explanation then lists the calls for this event. */
  nextEvent(): void {
    this.#event = (this.#event ?? 0) + 1;
    this.#calls.length = 0;
    this.#omittedCalls = 0;
  }

  addCall(name: string, kind: string, outcome: CallOutcome, durationMs: number): void {
    this.#start.record?.addCall(name, kind, outcome, durationMs);
  }

  explainCall(name: string, kind: string): CallExplanation | undefined {
    if (this.#calls.length >= MAX_CALLS) {
      this.#omittedCalls++;
      return undefined;
    }
    const call = new ExplainedCall(name, kind, this.#startedAt);
    this.#calls.push(call);
    return call;
  }

  /** The `extensions` of the response. */
  get extensions(): { readonly portico: Readonly<Record<string, unknown>> } {
    const { role, requestId, traceId, isValidated, cost } = this.#start;
    const plan = this.#plan?.();
    return {
      portico: {
        role,
        requestId,
        ...(traceId !== undefined && { traceId }),
        ...(this.#event !== undefined && { event: this.#event }),
        durationMs: rounded(performance.now() - this.#startedAt),
        document: { validatedBefore: isValidated },
        ...(plan && { plan: { ...plan, ...(plan.steps && { steps: plan.steps.slice(0, MAX_STEPS) }) } }),
        calls: [...this.#calls],
        ...(this.#omittedCalls > 0 && { omittedCalls: this.#omittedCalls }),
        cost,
      },
    };
  }
}

class ExplainedCall implements CallExplanation {
  readonly #name: string;
  readonly #kind: string;
  readonly #epoch: number;
  readonly #startedAt = performance.now();
  #retries = 0;
  #isShared = false;
  #waitMs = 0;
  #end: { readonly outcome: CallOutcome; readonly bytes: number; readonly durationMs: number } | undefined;

  /** @param epoch the start time of the operation. */
  constructor(name: string, kind: string, epoch: number) {
    this.#name = name;
    this.#kind = kind;
    this.#epoch = epoch;
  }

  addRetry(): void {
    this.#retries++;
  }

  share(): void {
    this.#isShared = true;
  }

  addWait(waitMs: number): void {
    this.#waitMs += waitMs;
  }

  end(outcome: CallOutcome, bytes: number): void {
    this.#end ??= { outcome, bytes, durationMs: performance.now() - this.#startedAt };
  }

  /** A call that is still running when the response is sent, for example after a timeout, has no outcome. */
  toJSON(): Readonly<Record<string, unknown>> {
    const ended = this.#end;
    return {
      source: this.#name,
      kind: this.#kind,
      startMs: rounded(this.#startedAt - this.#epoch),
      waitMs: rounded(this.#waitMs),
      retries: this.#retries,
      shared: this.#isShared,
      ...(ended && { durationMs: rounded(ended.durationMs), outcome: ended.outcome, bytes: ended.bytes }),
    };
  }
}

/** Rounds to microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
