import type { IncomingHttpHeaders } from 'node:http';
import type { CallExplanation, CallOutcome, CallRecorder } from '../upstream/index.ts';

/** The request header that requests `extensions.portico`, as `true` or `1`. */
const EXPLAIN_HEADER = 'x-portico-explain';

/** Whether a request has the header for an explanation; whether it gets one depends on its caller. */
export function asksForExplanation(headers: IncomingHttpHeaders): boolean {
  const asked = headers[EXPLAIN_HEADER];
  return asked !== undefined && (asked === 'true' || asked === '1');
}

/** Calls that an explanation names; of the others it has the number. */
const MAX_CALLS = 100;
/** Steps of a plan that it names. */
const MAX_STEPS = 100;

/** A part of a plan that one source answers. It holds names of the schema only: no arguments, no variables, no addresses. */
export interface ExplainedStep {
  readonly source: string;
  /** Root fields; of a fetch of entities, where in the response they are. */
  readonly fields?: readonly string[];
  readonly path?: string;
  /** Steps with the same number run at the same time, after those with smaller ones. */
  readonly wave: number;
}

export interface ExplainedPlan {
  readonly kind: string;
  /** Whether the operation had been planned before. */
  readonly cached: boolean;
  /** Undefined where the plan is decided while it runs: the calls then say what it did. */
  readonly steps?: readonly ExplainedStep[] | undefined;
}

/** A measure of the document against its limit; without a limit for a role that has none. */
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
  /** Records calls for the log and the trace too. */
  readonly record: CallRecorder | undefined;
}

/** How one response came about, for callers who may know: `extensions.portico`. Times are in milliseconds. */
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

  /** @param describe called once the operation has run. */
  planned(describe: () => ExplainedPlan): void {
    this.#plan = describe;
  }

  /** Begins the next event of a subscription, which has the calls that are made for it. */
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

  /** The response's `extensions`. */
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

  /** @param epoch when the operation began. */
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

  /** One that runs on when the response is sent, as after a timeout, has no outcome. */
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

/** To microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
