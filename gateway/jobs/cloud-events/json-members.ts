/** A member of a JSON object as it is written. */
export interface JsonMember {
  readonly name: string;
  /** The JSON text of the value, without surrounding whitespace. */
  readonly text: string;
}

const JSON_SPACE = /[ \t\n\r]/;

/**
 * Returns the members of a JSON object in their order, including repeated names, which `JSON.parse` drops. Values keep the text
 * that was sent, so that a number keeps all of its digits.
 *
 * @param json the text of an object that `JSON.parse` accepts.
 */
export function jsonMembers(json: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipSpace(json, json.indexOf('{') + 1);
  while (json[at] === '"') {
    const nameEnd = stringEnd(json, at);
    const name = JSON.parse(json.slice(at, nameEnd)) as string;
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1);
    const end = valueEnd(json, start);
    members.push({ name, text: json.slice(start, end) });
    at = skipSpace(json, end);
    if (json[at] === ',') at = skipSpace(json, at + 1);
  }
  return members;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && JSON_SPACE.test(json[at] as string)) at++;
  return at;
}

/** Returns the position after the string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Returns the position after the value that begins at `start`. */
function valueEnd(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return stringEnd(json, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < json.length && !/[,\]}\s]/.test(json[at] as string)) at++;
    return at;
  }
  let depth = 0;
  let at = start;
  do {
    const character = json[at];
    if (character === '"') at = stringEnd(json, at);
    else {
      if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') depth--;
      at++;
    }
  } while (depth > 0);
  return at;
}
