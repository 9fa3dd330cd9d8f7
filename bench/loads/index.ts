import type { ProcessGroup } from '../machine/index.ts';
import type { LoadGenerator } from './load.ts';
import { nodeLoad } from './node-load.ts';
import { wrk } from './wrk.ts';

export { ResponseReader } from './answer-reader.ts';
export {
  COUNTER,
  digits,
  type FirstResponses,
  httpRequestText,
  type LoadGenerator,
  type LoadRequest,
  type LoadWindow,
} from './load.ts';
export { nodeLoad } from './node-load.ts';
export { outputOf } from './output.ts';

/**
 * Returns wrk if it is installed, otherwise Node.js's generator. `name` (`wrk` or `node`) selects one. @throws Error if that
 * one is not available.
 */
export function chooseLoad(group: ProcessGroup, name: string | undefined): LoadGenerator {
  if (name === 'node') return nodeLoad(group);
  const found = wrk(group);
  if (name === 'wrk' && !found) throw new Error('wrk is not installed');
  return found ?? nodeLoad(group);
}
