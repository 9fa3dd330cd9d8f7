import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares secrets in a time that does not depend on their content. It compares digests of equal length, so that not even the
 * length of the expected secrets is revealed.
 */
export class SecretComparison {
  readonly #expected: readonly Buffer[];

  constructor(expected: readonly (string | Buffer)[]) {
    this.#expected = expected.map(digest);
  }

  /** Returns whether the text is one of the expected secrets. */
  matches(given: string | Buffer): boolean {
    const own = digest(given);
    let found = false;
    for (const each of this.#expected) found = timingSafeEqual(own, each) || found;
    return found;
  }
}

function digest(secret: string | Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}
