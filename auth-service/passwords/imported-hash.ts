/** A higher cost would let one row keep a thread busy for minutes; this is the bound of what is ever computed. */
export const MAX_BCRYPT_COST = 15;
export const MIN_BCRYPT_COST = 4;

/**
 * bcrypt's own text, of a cost within these bounds. Salt and hash do not fill their last letters; with anything else than
 * zeros in what is left no password matches, and one of the libraries returns at once without computing.
 */
const BCRYPT = /^\$2[aby]\$(?<cost>0[4-9]|1[0-5])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

/**
 * The stored hash of an account that was imported with a bcrypt hash of its plain password: that hash unchanged.
 * `Passwords.verify` recognizes it by its prefix, and it is replaced at the first login.
 *
 * @returns undefined for a text that is no such hash, or one whose cost is under 4 or over `maxCost`.
 */
export function importedHash(bcrypt: string, maxCost = MAX_BCRYPT_COST): string | undefined {
  const cost = BCRYPT.exec(bcrypt)?.groups?.cost;
  return cost !== undefined && Number(cost) <= maxCost ? bcrypt : undefined;
}
