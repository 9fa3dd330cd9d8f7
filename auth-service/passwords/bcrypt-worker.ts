import { loadBcrypt } from './bcrypt-library.ts';
import { compareInFullTime } from './full-time.ts';

export interface HashTask {
  text: string;
  cost: number;
}

export interface CompareTask {
  text: string;
  hash: string;
  /** How much the comparison costs at least. */
  cost: number;
}

const library = loadBcrypt();

/** Runs in a worker thread, where there is nobody else to hold up. */
export function hash({ text, cost }: HashTask): string {
  return library.hash(text, cost);
}

/** @see hash */
export function compare({ text, hash, cost }: CompareTask): boolean {
  return compareInFullTime(library, text, hash, cost);
}
