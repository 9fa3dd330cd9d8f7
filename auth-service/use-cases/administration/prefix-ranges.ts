/** A range of texts that begin with `low`, in byte order: from `low` up to but excluding `high`. */
export interface PrefixRange {
  readonly low: string;
  readonly high: string;
}

export interface PrefixSearch {
  readonly ranges: readonly PrefixRange[];
  /** The rest of the prefix after `rangeLength` characters, which has to be compared in each row. */
  readonly rest: string;
  readonly rangeLength: number;
}

/** The most index ranges that one search reads. */
const MAX_RANGES = 64;
const MAX_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * Returns the ranges that contain every text with this prefix in any case. In byte order, upper and lower case are at different
 * places of the index, so each combination is a range. If the prefix has many letters, only the first ones determine the
 * ranges.
 *
 * @param prefix well-formed, not empty.
 */
export function prefixSearch(prefix: string): PrefixSearch {
  const characters = [...prefix];
  let beginnings = [''];
  let rangeLength = 0;
  for (const character of characters) {
    const forms = caseForms(character);
    if (beginnings.length * forms.length > MAX_RANGES) break;
    beginnings = beginnings.flatMap((beginning) => forms.map((form) => beginning + form));
    rangeLength += 1;
  }
  const ranges = beginnings.flatMap((low) => {
    const high = successorOf(low);
    return high === undefined ? [] : [{ low, high }];
  });
  return { ranges, rest: characters.slice(rangeLength).join(''), rangeLength };
}

/** Returns the character in each case, if that is a single character too. */
function caseForms(character: string): readonly string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms.filter((form) => [...form].length === 1))];
}

/** Returns the first text, in the byte order of UTF-8, after all texts that begin with `text`. */
function successorOf(text: string): string | undefined {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  for (let last = codes.pop(); last !== undefined; last = codes.pop()) {
    if (last === MAX_CODE_POINT) continue;
    const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
    return String.fromCodePoint(...codes, next);
  }
  return undefined;
}
