import type { BcryptLibrary } from './bcrypt-library.ts';

const HASH_COST = /^\$2[aby]\$(?<cost>\d\d)\$/;

/**
 * Compares, and takes as long as a hash of `cost` does when the hash itself is cheaper. Else an account whose hash is
 * from before the cost was raised, or was imported, could be told from one that does not exist by the time of a wrong
 * guess. The missing work is made up exactly: 2^c and then 2^c + 2^(c+1) + … + 2^(cost-1) is 2^cost.
 *
 * A hash that is dearer than `cost` takes its time; there is nothing that could be left out.
 */
export function compareInFullTime(library: BcryptLibrary, text: string, hash: string, cost: number): boolean {
  const matches = library.compare(text, hash);
  const itsCost = Number(HASH_COST.exec(hash)?.groups?.cost ?? cost);
  for (let extra = itsCost; extra < cost; extra += 1) library.hash(text, extra);
  return matches;
}
