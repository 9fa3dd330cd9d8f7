/** A path into a JSON value, such as `$.user.roles[0]` or `$['https://hasura.io/jwt/claims']`. */
export interface JsonPath {
  /** The path as it was written. */
  readonly text: string;
  /** Names of members and positions in lists, starting at the root. */
  readonly steps: readonly (string | number)[];
}

/** Hasura also accepts a dot before a bracket: `$.['https://hasura.io/jwt/claims'].user`. */
const STEP = /\.([\w$-]+)|\.?(?:\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\])/y;

/** @returns undefined if the text is not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  let position = 1;
  while (position < text.length) {
    STEP.lastIndex = position;
    const match = STEP.exec(text);
    if (!match) return undefined;
    const [whole, member, index, quoted, doubleQuoted] = match;
    steps.push(index === undefined ? (member ?? quoted ?? doubleQuoted ?? '') : Number(index));
    position += whole.length;
  }
  return { text, steps };
}

/** Returns the value at `path`, or undefined if there is none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let found = value;
  for (const step of path.steps) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) !== (typeof step === 'number') || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}
