import { ChildEnded } from './child.ts';
import { Crew } from './crew.ts';
import type { Screen } from './screen.ts';

/**
 * Does `work` with a crew of children, and stops all of them when it is done, when `stopRequested` resolves, or when
 * one of them dies.
 *
 * @returns the exit code: 0 when the work is done or a stop was asked for, 1 when a child could not start or has died.
 */
export async function run(
  work: (crew: Crew) => Promise<void>,
  screen: Screen,
  stopRequested: Promise<void>,
): Promise<0 | 1> {
  const crew = new Crew(screen);
  try {
    await Promise.race([work(crew), crew.broken, stopRequested]);
    return 0;
  } catch (error) {
    if (!(error instanceof ChildEnded)) throw error;
    if (error.served) screen.complain(`${error.message}: stopping the others`);
    else if (!error.explained) screen.complain(`${error.message} before it was ready`);
    return 1;
  } finally {
    await crew.stop();
  }
}
