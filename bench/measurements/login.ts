import { BCRYPT_COST, measureLoginFigures } from '../login/index.ts';
import type { BenchDependencies } from '../targets/index.ts';
import type { ExtraPlan, Section } from './section.ts';

/** Measures logins and refreshes through the gateway's REST endpoints, in comparison to native bcrypt on all cores. */
export async function measureLogin(plan: ExtraPlan, dependencies: BenchDependencies): Promise<Section> {
  const figures = await measureLoginFigures(plan.seconds, dependencies);
  const { logins, refreshes, queriesAlone, queriesDuringLogins, hashesPerSecond } = figures;
  return {
    title: 'Login and refresh',
    head: ['', 'per second', 'p50 ms', 'p99 ms', 'failures', 'of native bcrypt'],
    lines: [
      [`native bcrypt, cost ${BCRYPT_COST}, all cores`, hashesPerSecond, undefined, undefined, undefined, 1],
      ['login', logins.perSecond, logins.p50Ms, logins.p99Ms, logins.failures, logins.perSecond / hashesPerSecond],
      ['refresh', refreshes.perSecond, refreshes.p50Ms, refreshes.p99Ms, refreshes.failures, undefined],
      ['forwarded query, alone', undefined, queriesAlone.p50Ms, queriesAlone.p99Ms, queriesAlone.failures],
      [
        'forwarded query, while logins take all cores',
        undefined,
        queriesDuringLogins.p50Ms,
        queriesDuringLogins.p99Ms,
        queriesDuringLogins.failures,
      ],
    ],
    note: `The auth service on ${figures.database}, everything on all cores. While logins saturate it, its event loop is ${figures.loopDelayP99Ms.toFixed(1)} ms late at the 99th percentile.`,
  };
}
