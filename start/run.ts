import { ChildEnded } from './child.ts';
import type { Screen } from './screen.ts';
import { ServiceGroup } from './service-group.ts';

/**
 * Runs `work` with a group of child processes, and stops all of them when it is done, when `stopRequested` resolves, or when
 * one of them ends unexpectedly.
 *
 * @returns the exit code: 0 when the work is done or a stop was requested, 1 when a child could not start or ended.
 */
export async function runServices(
  work: (group: ServiceGroup) => Promise<void>,
  screen: Screen,
  stopRequested: Promise<void>,
): Promise<0 | 1> {
  const group = new ServiceGroup(screen);
  try {
    await Promise.race([work(group), group.broken, stopRequested]);
    return 0;
  } catch (error) {
    if (!(error instanceof ChildEnded)) throw error;
    if (error.served) screen.complain(`${error.message}: stopping the others`);
    else if (!error.explained) screen.complain(`${error.message} before it was ready`);
    return 1;
  } finally {
    await group.stop();
  }
}
