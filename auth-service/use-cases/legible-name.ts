/** Control and format characters, line separators and invisible characters, except the two joiners. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\p{Default_Ignorable_Code_Point}]/u;
/** Scripts with joined letters, whose form a joiner changes. */
const JOINING = String.raw`\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}`;
/**
 * A joiner is visible where it changes the form of letters: in scripts with joined letters, and after the marks of Indic
 * scripts. A separating joiner (U+200C) has no effect unless a letter follows. (RFC 5892, A.1 and A.2)
 */
const SEEN_AFTER = String.raw`[${JOINING}]\p{Mn}*|(?!\p{Script=Inherited})\p{M}`;
export const UNSEEN_JOINER = new RegExp(
  String.raw`(?<!${SEEN_AFTER})[\u200c\u200d]|\u200c(?!\p{L})|(?<=[${JOINING}]\p{Mn}*)\u200c(?![${JOINING}])`,
  'u',
);

/**
 * Returns whether a reader can distinguish a new name from others in lists, logs and terminals. It must not be empty, and must
 * not have surrounding whitespace, invisible characters, or characters that change the direction of neighbouring text. (RFC
 * 8264, section 9)
 */
export function isLegible(name: string): boolean {
  return name !== '' && name.trim() === name && !UNSEEN.test(name) && !UNSEEN_JOINER.test(name);
}

/** Follows "expected" in the message about an illegible name. */
export const LEGIBLE = 'without invisible characters and spaces at its ends';
