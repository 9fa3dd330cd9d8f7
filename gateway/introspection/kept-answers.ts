/** Bytes that are kept of all roles together; and the answers, of which most are small. */
const MAX_BYTES = 128 * 1024 * 1024;
const MAX_ANSWERS = 500;

/** Answers by what was asked, within bounds. Those that were asked for the longest ago go first. */
export class KeptAnswers {
  readonly #answers = new Map<string, readonly Buffer[]>();
  #bytes = 0;

  get(key: string): readonly Buffer[] | undefined {
    const answer = this.#answers.get(key);
    if (!answer) return undefined;
    // A map goes through its entries in the order in which they were put in.
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  /** Keeps an answer, unless it would take half of the room. */
  keep(key: string, answer: readonly Buffer[]): void {
    const bytes = weightOf(key, answer);
    if (bytes > MAX_BYTES / 2 || this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#bytes += bytes;
    for (const [oldest, value] of this.#answers) {
      if (this.#bytes <= MAX_BYTES && this.#answers.size <= MAX_ANSWERS) return;
      this.#answers.delete(oldest);
      this.#bytes -= weightOf(oldest, value);
    }
  }
}

function weightOf(key: string, answer: readonly Buffer[]): number {
  return answer.reduce((sum, { length }) => sum + length, 2 * key.length);
}
