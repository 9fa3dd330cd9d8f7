import { Session } from 'node:inspector/promises';

/** The code of planning and compiling. */
const PLANNING = /\/gateway\/(federation|supergraph|syntax)\//;

/**
 * How often the functions, branches and loops of planning run while something is prepared, as V8 counts them: a measure of the time
 * that it takes which is the same each time.
 */
export async function planningWork(prepare: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  try {
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await session.post('Profiler.takePreciseCoverage');
    await prepare();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    let work = 0;
    for (const { url, functions } of result)
      if (PLANNING.test(url)) for (const { ranges } of functions) for (const { count } of ranges) work += count;
    return work;
  } finally {
    session.disconnect();
  }
}
