import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Compares secrets in a time that does not depend on what they are: their digests, which are equally long, so that not
 * even the length of the expected ones shows.
 */
export class SecretComparison {
  readonly #expected: readonly Buffer[];

  constructor(expected: readonly (string | Buffer)[]) {
    this.#expected = expected.map(digest);
  }

  /** Whether it is one of the expected secrets. */
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
