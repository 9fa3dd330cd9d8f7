import { Session } from 'node:inspector/promises';
import type { Sliced } from '../../../../platform/index.ts';

/** The code of planning and compiling. */
const PLANNING = /\/gateway\/(planning|graphql\/syntax)\//;

/**
 * How often the functions, branches and loops of planning run while something is planned, as V8 counts them: a measure of the time
 * that it takes which is the same each time.
 */
export function planningWork(plan: () => Promise<unknown>): Promise<number> {
  return counting(async (count) => {
    await plan();
    return await count();
  });
}

/** The same for work in slices: of all of it, and of the slice that does the most. */
export function slicedWork(plan: () => Sliced<unknown>): Promise<{ readonly work: number; readonly inSlice: number }> {
  return counting(async (count) => {
    let [work, inSlice] = [0, 0];
    const planning = plan();
    for (let isOver = false; !isOver; ) {
      try {
        isOver = planning.next().done === true;
      } catch {
        isOver = true;
      }
      const ofSlice = await count();
      work += ofSlice;
      inSlice = Math.max(inSlice, ofSlice);
    }
    return { work, inSlice };
  });
}

/** @param run is given what counts since it was called last */
async function counting<T>(run: (count: () => Promise<number>) => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  try {
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const count = async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      let work = 0;
      for (const { url, functions } of result)
        if (PLANNING.test(url)) for (const { ranges } of functions) for (const { count } of ranges) work += count;
      return work;
    };
    await count();
    return await run(count);
  } finally {
    session.disconnect();
  }
}
