import { loadBcrypt } from './bcrypt-library.ts';
import { compareInFullTime } from './full-time.ts';

export interface HashTask {
  text: string;
  cost: number;
}

export interface CompareTask {
  text: string;
  hash: string;
  /** The minimum cost of the comparison. */
  cost: number;
}

export interface Computed<Result> {
  readonly result: Result;
  /** The duration of the computation itself, in milliseconds. */
  readonly durationMs: number;
}

const library = loadBcrypt();

/** Runs in a worker thread, where a synchronous computation blocks no request. */
export function hash({ text, cost }: HashTask): Computed<string> {
  return timed(() => library.hash(text, cost));
}

/** @see hash */
export function compare({ text, hash, cost }: CompareTask): Computed<boolean> {
  return timed(() => compareInFullTime(library, text, hash, cost));
}

function timed<Result>(compute: () => Result): Computed<Result> {
  const startedAt = performance.now();
  const result = compute();
  return { result, durationMs: performance.now() - startedAt };
}
