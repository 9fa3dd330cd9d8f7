/** Texts that begin with `low`, in the order of their bytes: from `low` up to `high`, without it. */
export interface PrefixRange {
  readonly low: string;
  readonly high: string;
}

export interface PrefixSearch {
  readonly ranges: readonly PrefixRange[];
  /** What remains of the prefix after `rangeLength` characters; it has to be compared one by one. */
  readonly rest: string;
  readonly rangeLength: number;
}

/** The largest number of index ranges that one search reads. */
const MAX_RANGES = 64;
const MAX_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * The ranges that hold every text with this prefix, in upper or lower case. An index in the order of bytes has upper and
 * lower case in different places, so each combination is a range; of a prefix with many letters the first ones make the
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

/** The character in each case, where that is one character too. */
function caseForms(character: string): readonly string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms.filter((form) => [...form].length === 1))];
}

/** The first text, in the order of bytes in UTF-8, that comes after all that begin with `text`. */
function successorOf(text: string): string | undefined {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  for (let last = codes.pop(); last !== undefined; last = codes.pop()) {
    if (last === MAX_CODE_POINT) continue;
    const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1;
    return String.fromCodePoint(...codes, next);
  }
  return undefined;
}
