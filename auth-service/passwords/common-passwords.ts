import { COMMON_ROOTS, FIRST_ROOTS, PHRASES } from './common-roots.ts';

/** Suffixes that people add to a word: digits, signs, common numbers. */
const PASSWORD_ENDINGS = (
  '0 1 2 3 4 5 6 7 8 9 00 01 02 07 10 11 12 13 21 22 23 33 42 44 55 66 69 77 88 99 007 100 101 111 123 222 321 333 420 444 ' +
  '555 666 777 888 999 1111 1212 1234 4321 12345 54321 123123 123321 123456 654321 111111 000000 1234567 12345678 123456789 ' +
  '1234567890 987654321 0123456789 ! !! !!! . @ # $ * ? 1! 12! 123! 1234! 12345! !1 !123 @1 @12 @123 @1234 @12345 #1 #123 ' +
  '.123 _123 -123 _1 abc xyz qwerty 123abc 123qwe'
).split(' ');

const [FIRST_YEAR, LAST_YEAR] = [1960, 2035];

/** Keyboard walks. All of their parts are common, in both directions. */
const WALKS = [
  '01234567890123456789012345678901234567890',
  'abcdefghijklmnopqrstuvwxyzabcdefghijklm',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertyuiopqwertyuiopqwertyuiop',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'asdfghjklzxcvbnmqwertyuiop',
  'zxcvbnmasdfghjklqwertyuiop',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8i9j0k1l2m3',
  '1a2b3c4d5e6f7g8h9i0j1k2l3m',
  '!qaz@wsx#edc$rfv%tgb^yhn&ujm*ik',
  '!@#$%^&*()_+!@#$%^&*()_+',
  '1!2@3#4$5%6^7&8*9(0)',
  '147258369147258369147258369',
  '159753159753159753159753',
  '1357924680135792468013579',
  '1223334444555556666667777777',
] as const;
const [SHORTEST_WALK, LONGEST_WALK] = [6, 26];

/** Texts that are repeated to a common length. */
const REPEATED = [
  ...'abcdefghijklmnopqrstuvwxyz0123456789!*.',
  ...(
    '12 123 1234 12345 123456 1234567 12345678 123456789 321 abc abcd xyz qwe asd zxc qwerty asdf ab xo ha la no ok hi ' +
    'ba na 01 10 69 13 007'
  ).split(' '),
];
const LONGEST_REPETITION = 32;

/** A single character, repeated any number of times. */
const ONE_SIGN = /^(.)\1+$/su;

const LEETSPEAK: readonly (readonly [RegExp, string])[] = [
  [/a/g, '@'],
  [/a/g, '4'],
  [/o/g, '0'],
  [/e/g, '3'],
  [/i/g, '1'],
  [/s/g, '$'],
  [/s/g, '5'],
];

const SEPARATORS = /[\s._-]+/gu;

export interface CommonPasswords {
  /**
   * Returns whether a password is common. `password` is in Unicode NFKC and in any case. It is checked with and without the
   * spaces, dots, dashes and underscores in it.
   */
  has(password: string): boolean;
}

/**
 * The most common passwords: hundreds of thousands, of which more than 3,000 have at least 15 characters, so that there are
 * enough for any length that a policy requires (OWASP ASVS 5, 6.2.4).
 *
 * The list is generated, not collected. Published lists of leaked passwords mostly consist of words with endings or years,
 * repeated words, keyboard walks, repetitions and a few phrases. So does this list, from `common-roots.ts` and the lists above.
 * Words and endings are kept apart, since all combinations would take 50 MB.
 */
export function commonPasswords(): CommonPasswords {
  const years = Array.from({ length: LAST_YEAR - FIRST_YEAR + 1 }, (_, index) => String(FIRST_YEAR + index));
  const endings = new Set([
    ...PASSWORD_ENDINGS,
    ...years,
    ...years.flatMap((year) => [`${year}!`, `@${year}`, `#${year}`]),
  ]);
  const longestEnding = Math.max(...[...endings].map(({ length }) => length));

  const roots = new Set([...COMMON_ROOTS, ...FIRST_ROOTS, ...FIRST_ROOTS.flatMap(leetspeak)]);
  const bases = new Set([...PHRASES, ...roots]);
  for (const root of roots) bases.add(root + root).add(root + root + root);
  for (const root of FIRST_ROOTS) for (const other of FIRST_ROOTS) bases.add(root + other);
  const alone = new Set([...WALKS.flatMap(walkParts), ...REPEATED.flatMap(repetitionsOf)]);

  function isListed(text: string): boolean {
    if (bases.has(text) || alone.has(text)) return true;
    for (let length = 1; length <= Math.min(longestEnding, text.length - 1); length += 1) {
      const [start, rest] = [text.slice(0, length), text.slice(length)];
      const [base, ending] = [text.slice(0, -length), text.slice(-length)];
      if (endings.has(ending) && bases.has(base)) return true;
      if (endings.has(start) && roots.has(rest)) return true;
    }
    return false;
  }

  return {
    has(password) {
      const folded = password.toLowerCase();
      return ONE_SIGN.test(folded) || isListed(folded) || isListed(folded.replace(SEPARATORS, ''));
    },
  };
}

/** Returns the word with each kind of letter replaced, and with all of them replaced. */
function leetspeak(word: string): string[] {
  const single = LEETSPEAK.map(([letter, sign]) => word.replace(letter, sign));
  const all = [
    LEETSPEAK.reduce((text, [letter, sign]) => text.replace(letter, sign), word),
    word.replaceAll('a', '@').replaceAll('o', '0'),
    word.replaceAll('a', '4').replaceAll('e', '3').replaceAll('i', '1').replaceAll('o', '0'),
  ];
  return [...single, ...all];
}

function walkParts(walk: string): string[] {
  const parts: string[] = [];
  for (const line of [walk, [...walk].reverse().join('')])
    for (let start = 0; start < line.length; start += 1)
      for (let length = SHORTEST_WALK; length <= LONGEST_WALK && start + length <= line.length; length += 1)
        parts.push(line.slice(start, start + length));
  return parts;
}

function repetitionsOf(unit: string): string[] {
  const most = Math.floor(LONGEST_REPETITION / unit.length);
  return Array.from({ length: most }, (_, index) => unit.repeat(index + 1));
}
