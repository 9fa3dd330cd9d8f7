/** Control and format characters, ends of lines, and what is not drawn at all, but for the two joiners. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\p{Default_Ignorable_Code_Point}]/u;
/** A joiner is seen where it changes the form of letters: in Arabic script, and after the marks of Indic scripts (RFC 5892, A.1 and A.2). */
const UNSEEN_JOINER = /(?<![\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}])[\u200c\u200d]/u;

/**
 * Whether a new name can be told from others by reading it, in lists, logs and terminals: not empty, without white space at its
 * ends, and without characters that are not seen or that change the order of what is beside them. (RFC 8264, section 9)
 */
export function isLegible(name: string): boolean {
  return name !== '' && name.trim() === name && !UNSEEN.test(name) && !UNSEEN_JOINER.test(name);
}

/** After "expected", for a name that is not. */
export const LEGIBLE = 'without invisible characters and spaces at its ends';
