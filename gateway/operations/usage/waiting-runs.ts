import { type Client, PUBLIC_SHARE } from './clients.ts';
import type { HiveOperation } from './hive-operation.ts';

/** A run of an operation, or a new subscription. */
export interface Run {
  readonly of: HiveOperation;
  readonly client: Client;
  readonly timestamp: number;
  /** Whether the caller had no session. */
  readonly isPublic: boolean;
  /** Undefined for a subscription. */
  readonly execution: { readonly ok: boolean; readonly duration: number; readonly errorsTotal: number } | undefined;
}

/** The most runs of one report. */
const MAX_REPORT_RUNS = 1_000;
/** The most characters of operations in one report. Hive accepts reports of 15 MB. */
const MAX_REPORT_TEXT = 4_000_000;
/** The most runs that wait. */
const MAX_RUNS = 10_000;
/** The most characters of waiting operations, each counted once. Clients control their number and length. */
const MAX_QUEUED_TEXT = 16_000_000;

interface WaitingOperation {
  readonly text: number;
  /** Whether a caller without a session added it first. */
  readonly isPublic: boolean;
  runs: number;
}

/**
 * Runs that wait to be reported, the oldest first. Their number and the text of their operations are limited. Callers without a
 * session may use a tenth of each limit, so that they cannot crowd out others.
 */
export class WaitingRuns {
  #runs: Run[] = [];
  readonly #operations = new Map<HiveOperation, WaitingOperation>();
  #text = 0;
  #publicRuns = 0;
  #publicText = 0;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Whether the runs fill a report. */
  get fillsReport(): boolean {
    return this.#runs.length >= MAX_REPORT_RUNS || this.#text >= MAX_REPORT_TEXT;
  }

  /** @returns false if there is no room for the run. */
  add(run: Run): boolean {
    const { of, isPublic } = run;
    if (this.#runs.length >= MAX_RUNS || (isPublic && this.#publicRuns >= MAX_RUNS / PUBLIC_SHARE)) return false;
    const known = this.#operations.get(of);
    if (known) known.runs += 1;
    else {
      const text = textLength(of);
      if (this.#text + text > MAX_QUEUED_TEXT || (isPublic && this.#publicText + text > MAX_QUEUED_TEXT / PUBLIC_SHARE))
        return false;
      this.#operations.set(of, { text, isPublic, runs: 1 });
      this.#text += text;
      if (isPublic) this.#publicText += text;
    }
    this.#runs.push(run);
    if (isPublic) this.#publicRuns += 1;
    return true;
  }

  /** Takes the oldest runs that fit into a report, and at least one. */
  takeReport(): readonly Run[] {
    const operations = new Set<HiveOperation>();
    let count = 0;
    let text = 0;
    for (const { of } of this.#runs) {
      if (count >= MAX_REPORT_RUNS) break;
      if (!operations.has(of)) text += this.#operations.get(of)?.text ?? 0;
      if (text > MAX_REPORT_TEXT && count > 0) break;
      operations.add(of);
      count += 1;
    }
    const runs = this.#runs.slice(0, count);
    this.#runs = this.#runs.slice(count);
    for (const run of runs) this.#forget(run);
    return runs;
  }

  #forget({ of, isPublic }: Run): void {
    if (isPublic) this.#publicRuns -= 1;
    const waiting = this.#operations.get(of);
    if (!waiting) return;
    waiting.runs -= 1;
    if (waiting.runs > 0) return;
    this.#operations.delete(of);
    this.#text -= waiting.text;
    if (waiting.isPublic) this.#publicText -= waiting.text;
  }
}

function textLength({ operation, operationName = '', fields }: HiveOperation): number {
  return fields.reduce((sum, { length }) => sum + length, operation.length + operationName.length);
}
