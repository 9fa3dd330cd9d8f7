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

/** wrk where it is installed, else Node's own; `name` (`wrk` or `node`) asks for one. @throws if that is not there. */
export function chooseLoad(group: ProcessGroup, name: string | undefined): LoadGenerator {
  if (name === 'node') return nodeLoad(group);
  const found = wrk(group);
  if (name === 'wrk' && !found) throw new Error('wrk is not installed');
  return found ?? nodeLoad(group);
}
