/** A higher cost would allow one row to occupy a thread for minutes. This is the limit of all computations. */
export const MAX_BCRYPT_COST = 15;
export const MIN_BCRYPT_COST = 4;

/**
 * A bcrypt hash with a cost within these limits. Salt and hash do not use all bits of their last characters. If the unused bits
 * are not zero, no password matches, and one of the libraries returns immediately without computing.
 */
const BCRYPT = /^\$2[aby]\$(?<cost>0[4-9]|1[0-5])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

/**
 * Returns the stored hash of an account that was imported with a bcrypt hash of its plain password: the unchanged hash.
 * `Passwords.verify` recognizes it by its prefix, and the first login replaces it.
 *
 * @returns undefined for a text that is not such a hash, or whose cost is below 4 or above `maxCost`.
 */
export function importedHash(bcrypt: string, maxCost = MAX_BCRYPT_COST): string | undefined {
  const cost = BCRYPT.exec(bcrypt)?.groups?.cost;
  return cost !== undefined && Number(cost) <= maxCost ? bcrypt : undefined;
}
