import { writeFileSync } from 'node:fs';
import { findFakeTime } from '../cluster/index.ts';
import type { Fault } from '../fault.ts';

const NOTICED_WITHIN_MS = 15_000;

/** One gateway's clock jumps while it runs, and jumps back. */
const skew = (offset: '+120' | '-120'): Fault => ({
  name: `a gateway's clock is off by ${offset} s`,
  group: 'clock',
  promise:
    '/readyz says so with the figure, so that the others answer; no request fails but for 401 until then; it heals',
  missing: () => (findFakeTime() === undefined ? 'faketime is not installed' : undefined),
  allows: ({ failure }) => failure?.status === 401,
  async run({ cluster, wait, gone, onEnd, broken, tookEffect }) {
    const [gateway] = cluster.gateways;
    const file = cluster.scratchFile('clock');
    writeFileSync(file, '+0');
    onEnd(() => gateway.restart());
    await gateway.restart({
      environment: {
        LD_PRELOAD: findFakeTime() ?? '',
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    await wait(3);
    writeFileSync(file, offset);
    const deadline = performance.now() + NOTICED_WITHIN_MS;
    let readiness = await gateway.readiness();
    while (readiness.status === 200 && performance.now() < deadline) {
      await wait(0.1);
      readiness = await gateway.readiness();
    }
    if (readiness.status === 503) tookEffect();
    if (readiness.status !== 503) broken('the gateway stayed ready');
    else if (Math.abs(Math.abs(Number(readiness.body.clock_skew_seconds)) - 120) > 5)
      broken(`the skew was measured as ${readiness.body.clock_skew_seconds}`);
    await wait(3);
    writeFileSync(file, '+0');
    const healed = performance.now() + NOTICED_WITHIN_MS;
    while ((await gateway.readiness()).status !== 200 && performance.now() < healed) await wait(0.1);
    if ((await gateway.readiness()).status !== 200) broken('the gateway did not become ready again');
    gone();
  },
});

export const clock: readonly Fault[] = [skew('+120'), skew('-120')];
