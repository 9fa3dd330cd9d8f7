import { KritiEvaluationError } from './errors.ts';

/**
 * The most work of one evaluation: values created or compared, and hundreds of characters. This takes half a second at most.
 */
const MAX_WORK = 1_000_000;
/** The most characters and values of a result. */
const MAX_OUTPUT = 16_000_000;
/** The maximum nesting of calls and of values. */
const MAX_TEMPLATE_DEPTH = 400;

/** Limits one evaluation. The values come from clients, and nested ranges over them must not block the process. */
export class Work {
  readonly #source: string;
  #left = MAX_WORK;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** @throws KritiEvaluationError if the limit is exceeded. */
  spend(amount: number, at: number): void {
    this.#left -= amount;
    if (this.#left < 0) this.fail('the template has too much to do with these values', at);
  }

  spendOnText(length: number, at: number): void {
    this.spend(1 + length / 100, at);
    if (length > MAX_OUTPUT) this.fail('a text gets too long', at);
  }

  /** Runs `action` one level deeper. @throws KritiEvaluationError if that exceeds the nesting limit. */
  nested<T>(at: number, action: () => T): T {
    if (this.#depth >= MAX_TEMPLATE_DEPTH) this.fail('values are nested too deeply', at);
    this.#depth++;
    try {
      return action();
    } finally {
      this.#depth--;
    }
  }

  /** Checks the size of the whole result. A value whose parts share memory can be small in memory and huge as JSON. */
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
