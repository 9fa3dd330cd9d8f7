/** A higher cost would let one row keep a thread busy for minutes; this is the bound of what is ever computed. */
export const MAX_BCRYPT_COST = 15;
export const MIN_BCRYPT_COST = 4;

/**
 * bcrypt's own text, of a cost within these bounds. Salt and hash do not fill their last letters; with anything else than
 * zeros in what is left no password matches, and one of the libraries returns at once without computing.
 */
const BCRYPT = /^\$2[aby]\$(?<cost>0[4-9]|1[0-5])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

/**
 * What is stored for an account that comes from elsewhere with a bcrypt hash of its plain password: that hash as it is.
 * `Passwords.verify` knows it from our own kind by its first letters, and it is replaced at the first login.
 *
 * @returns undefined for a text that is no such hash, or one whose cost is under 4 or over `maxCost`.
 */
export function importedHash(bcrypt: string, maxCost = MAX_BCRYPT_COST): string | undefined {
  const cost = BCRYPT.exec(bcrypt)?.groups?.cost;
  return cost !== undefined && Number(cost) <= maxCost ? bcrypt : undefined;
}
