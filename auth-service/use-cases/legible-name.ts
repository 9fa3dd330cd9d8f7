/** Control and format characters, line ends and invisible characters, except the two joiners. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\p{Default_Ignorable_Code_Point}]/u;
/** Scripts whose letters join, in forms that a joiner changes. */
const JOINING = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}`;
/**
 * A joiner is seen where it changes the form of letters: in scripts whose letters join, and after the marks of Indic scripts.
 * One that separates (U+200C) changes nothing where no letter follows. (RFC 5892, A.1 and A.2)
 */
const SEEN_AFTER = String.raw`[${JOINING}]\p{Mn}*|(?!\p{Script=Inherited})\p{M}`;
export const UNSEEN_JOINER = new RegExp(
  String.raw`(?<!${SEEN_AFTER})[\u200c\u200d]|\u200c(?!\p{L})|(?<=[${JOINING}]\p{Mn}*)\u200c(?![${JOINING}])`,
  'u',
);

/**
 * Whether a reader can distinguish a new name from others, in lists, logs and terminals: not empty, without white space at its
 * ends, invisible characters, or characters that change the direction of text beside them. (RFC 8264, section 9)
 */
export function isLegible(name: string): boolean {
  return name !== '' && name.trim() === name && !UNSEEN.test(name) && !UNSEEN_JOINER.test(name);
}

/** After "expected", for a name that is not. */
export const LEGIBLE = 'without invisible characters and spaces at its ends';
