import { availableEngines, createTestDatabase, type Engine, preferredEngine } from '../../database/index.ts';
import { isRedisThere, REDIS_URL } from '../../gateway/rate-limit/redis.ts';

const engines = await availableEngines();

/** Where failures may be counted. */
export type Counting = Engine | 'redis';

/** PGlite always; PostgreSQL and Redis where one answers. Says so where one does not. */
export async function availableCounting(): Promise<readonly Counting[]> {
  return [...engines, ...((await isRedisThere()) ? (['redis'] as const) : [])];
}

/** One for each store: `stores.test.ts` tries the statements of the one in the database on both of its engines. */
export async function countingByStore(): Promise<readonly Counting[]> {
  return [preferredEngine(), ...((await isRedisThere()) ? (['redis'] as const) : [])];
}

/** The engine of the database beside it, and the setting that makes a service count there. */
export function settingsOf(counting: Counting): { engine: Engine; settings: Record<string, string> } {
  return counting === 'redis'
    ? { engine: engines.at(-1) ?? 'pglite', settings: { REDIS_URL } }
    : { engine: counting, settings: {} };
}

export { createTestDatabase, REDIS_URL };
