import { compareSync, hashSync } from 'bcryptjs';

export interface HashTask {
  text: string;
  cost: number;
}

export interface CompareTask {
  text: string;
  hash: string;
}

/** Runs in a worker thread, where there is nobody else to hold up, so without bcryptjs's pauses. */
export function hash({ text, cost }: HashTask): string {
  return hashSync(text, cost);
}

/** @see hash */
export function compare({ text, hash }: CompareTask): boolean {
  return compareSync(text, hash);
}
