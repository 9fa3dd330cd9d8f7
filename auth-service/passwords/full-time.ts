import type { BcryptLibrary } from './bcrypt-library.ts';

const HASH_COST = /^\$2[aby]\$(?<cost>\d\d)\$/;

/**
 * Compares, and takes as long as a hash of `cost` even if the hash itself is cheaper. Otherwise the time of a wrong guess would
 * distinguish an account with an older or imported hash from one that does not exist. The additional work is exact: 2^c and
 * then 2^c + 2^(c+1) + … + 2^(cost-1) is 2^cost.
 *
 * A hash with a higher cost than `cost` takes longer, which is unavoidable.
 */
export function compareInFullTime(library: BcryptLibrary, text: string, hash: string, cost: number): boolean {
  const matches = library.compare(text, hash);
  const itsCost = Number(HASH_COST.exec(hash)?.groups?.cost ?? cost);
  for (let extra = itsCost; extra < cost; extra += 1) library.hash(text, extra);
  return matches;
}
