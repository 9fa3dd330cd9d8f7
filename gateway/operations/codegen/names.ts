/** Assigns identifiers of a generated file or package, each only once. */
export class Names {
  readonly #used: Set<string>;
  readonly #fold: (name: string) => string;

  /**
   * @param reserved names that the language or other generated code uses.
   * @param isCaseSensitive false for names of files, since some file systems ignore case.
   */
  constructor(reserved: Iterable<string> = [], isCaseSensitive = true) {
    this.#fold = isCaseSensitive ? (name) => name : (name) => name.toLowerCase();
    this.#used = new Set([...reserved].map(this.#fold));
  }

  /** Returns the wanted name, or the name with `_` or a number if it is taken. The result depends on the order of calls. */
  take(wanted: string): string {
    const candidates = function* () {
      yield wanted;
      yield `${wanted}_`;
      for (let number = 2; ; number++) yield `${wanted}_${number}`;
    };
    for (const name of candidates())
      if (!this.#used.has(this.#fold(name))) {
        this.#used.add(this.#fold(name));
        return name;
      }
    throw new TypeError('the candidates never end');
  }
}

/** Returns a GraphQL name with a capital first letter and without leading underscores: `_item` becomes `Item`. */
export function capitalized(name: string): string {
  const bare = name.replace(/^_+/, '');
  const start = /^[A-Za-z]/.test(bare) ? bare : `X${bare}`;
  return start.charAt(0).toUpperCase() + start.slice(1);
}
