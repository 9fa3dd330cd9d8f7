import { expect, test } from '@jest/globals';
import { JobCommands } from '../../../gateway/jobs/commands/job-commands.ts';
import { createLogger } from '../../../platform/index.ts';

/** Commands, and how old the numbers may be that they have asked the database for. */
function counted() {
  const ages: (number | undefined)[] = [];
  const stats = async (maxAgeMs?: number) => {
    ages.push(maxAgeMs);
    return [];
  };
  const jobs = { admin: { stats, pauses: async () => [] }, invocations: {} };
  const commands = new JobCommands(jobs as unknown as ConstructorParameters<typeof JobCommands>[0], {
    cronTriggers: () => [],
    deliveries: () => ({ producers: [], subscriptions: [] }),
  });
  const caller = { role: 'admin', variables: {}, isOperator: true, log: createLogger('gateway', 'silent') };
  const ask = (args?: object) => commands.run('portico_get_job_queues', args, caller);
  return { ages, ask };
}

test('the database counts all jobs for those only who ask for numbers of now', async () => {
  const { ages, ask } = counted();
  for (const args of [undefined, {}, { max_age_ms: 60_000 }, { max_age_ms: 0 }]) await ask(args);
  expect(ages).toEqual([10_000, 10_000, 60_000, 0]);
});

test('who wait for the same numbers share them, as new as the strictest of them wants', async () => {
  const { ages, ask } = counted();
  const asked = [60_000, 0, 10_000].map((max_age_ms) => ask({ max_age_ms }));
  await Promise.all(asked);
  expect(ages).toEqual([0]);
  await ask();
  expect(ages).toEqual([0, 10_000]);
});
