import type { Client } from './clients.ts';
import type { HiveOperation } from './hive-operation.ts';

/** A run of an operation, or a subscription that was opened. */
export interface Run {
  readonly of: HiveOperation;
  readonly client: Client;
  readonly timestamp: number;
  /** Undefined for a subscription. */
  readonly execution: { readonly ok: boolean; readonly duration: number; readonly errorsTotal: number } | undefined;
}

/** Of one report. */
const MAX_REPORT_RUNS = 1_000;
/** Characters of the operations of one report; Hive takes reports of 15 MB. */
const MAX_REPORT_TEXT = 4_000_000;
/** Of those that wait. */
const MAX_RUNS = 10_000;
/** Characters of the operations that wait, each counted once: clients decide how many and how long they are. */
const MAX_QUEUED_TEXT = 16_000_000;

interface WaitingOperation {
  readonly text: number;
  runs: number;
}

/** Runs that wait for being reported, the oldest first. They are bounded by their number and by the text of their operations. */
export class WaitingRuns {
  #runs: Run[] = [];
  readonly #operations = new Map<HiveOperation, WaitingOperation>();
  #text = 0;

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Whether there is as much as a report may hold. */
  get fillsReport(): boolean {
    return this.#runs.length >= MAX_REPORT_RUNS || this.#text >= MAX_REPORT_TEXT;
  }

  /** @returns false where there is no room for it. */
  add(run: Run): boolean {
    if (this.#runs.length >= MAX_RUNS) return false;
    const known = this.#operations.get(run.of);
    if (known) known.runs += 1;
    else {
      const text = textOf(run.of);
      if (this.#text + text > MAX_QUEUED_TEXT) return false;
      this.#operations.set(run.of, { text, runs: 1 });
      this.#text += text;
    }
    this.#runs.push(run);
    return true;
  }

  /** Takes the oldest runs, as many as fit into a report, and one at least. */
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

  #forget({ of }: Run): void {
    const waiting = this.#operations.get(of);
    if (!waiting) return;
    waiting.runs -= 1;
    if (waiting.runs > 0) return;
    this.#operations.delete(of);
    this.#text -= waiting.text;
  }
}

function textOf({ operation, operationName = '', fields }: HiveOperation): number {
  return fields.reduce((sum, { length }) => sum + length, operation.length + operationName.length);
}
