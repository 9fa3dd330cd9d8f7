import type { Crew } from '../../bench/machine/index.ts';
import type { FaultArguments } from '../arguments.ts';

export async function soak(_crew: Crew, _plan: FaultArguments, _say: (text: string) => void): Promise<boolean> {
  throw new Error('not yet');
}
