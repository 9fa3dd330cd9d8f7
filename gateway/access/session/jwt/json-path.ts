/** A path into a JSON value, such as `$.user.roles[0]` or `$['https://hasura.io/jwt/claims']`. */
export interface JsonPath {
  /** As it was written. */
  readonly text: string;
  /** Names of members and positions in lists, from the root on. */
  readonly steps: readonly (string | number)[];
}

/** Hasura takes a dot before a bracket, too: `$.['https://hasura.io/jwt/claims'].user`. */
const STEP = /\.([\w$-]+)|\.?(?:\[(\d{1,6})\]|\['([^']*)'\]|\["([^"]*)"\])/y;

/** @returns undefined when the text is no path. */
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

/** The value at `path`; undefined when there is none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let found = value;
  for (const step of path.steps) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) !== (typeof step === 'number') || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}
