import { KritiEvaluationError } from './errors.ts';

/** Limit of one evaluation: values made or compared, and characters by the hundred. It takes half a second at most. */
const MAX_WORK = 1_000_000;
/** Characters and values of the result. */
const MAX_OUTPUT = 16_000_000;
/** Nested calls, and nested values. */
const MAX_TEMPLATE_DEPTH = 400;

/**
 * The limits of one evaluation: a template's values come from clients, and nested ranges over them must not block the
 * process.
 */
export class Work {
  readonly #source: string;
  #left = MAX_WORK;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** @throws KritiEvaluationError when it is too much. */
  spend(amount: number, at: number): void {
    this.#left -= amount;
    if (this.#left < 0) this.fail('the template has too much to do with these values', at);
  }

  spendOnText(length: number, at: number): void {
    this.spend(1 + length / 100, at);
    if (length > MAX_OUTPUT) this.fail('a text gets too long', at);
  }

  /** Runs `action` one level deeper. @throws KritiEvaluationError when that is too deep. */
  nested<T>(at: number, action: () => T): T {
    if (this.#depth >= MAX_TEMPLATE_DEPTH) this.fail('values are nested too deeply', at);
    this.#depth++;
    try {
      return action();
    } finally {
      this.#depth--;
    }
  }

  /**
   * Checks the size of the whole result. A value that is small in memory, because its parts are one and the same, can
   * be huge when it is written out.
   */
  checkSize(value: unknown): void {
    let left = MAX_OUTPUT;
    const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      left -= typeof next.value === 'string' ? next.value.length + 1 : 1;
      if (left < 0) this.fail('the result is too large', 0);
      if (next.depth > MAX_TEMPLATE_DEPTH) this.fail('values are nested too deeply', 0);
      if (typeof next.value !== 'object' || next.value === null) continue;
      const inner = Array.isArray(next.value) ? next.value : Object.entries(next.value).flat();
      for (const part of inner) pending.push({ value: part, depth: next.depth + 1 });
    }
  }

  /** @throws KritiEvaluationError always. */
  fail(message: string, at: number): never {
    throw new KritiEvaluationError(message, this.#source, at);
  }
}
