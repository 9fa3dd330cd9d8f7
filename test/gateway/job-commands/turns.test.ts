import { expect, test } from '@jest/globals';
import { JobCommands } from '../../../gateway/jobs/commands/job-commands.ts';
import { createLogger } from '../../../platform/index.ts';

const ID = '01a20547-cb68-7785-a3e7-888fbd921d2f';

/** Commands on a database that answers when the test says so, with what it has been asked so far. */
function controlled() {
  const asked: { readonly what: string; answer(): void }[] = [];
  const ask =
    <T>(what: string, answer: T) =>
    () =>
      new Promise<T>((resolve) => {
        asked.push({ what, answer: () => resolve(answer) });
      });
  const admin = {
    page: ask('page', { jobs: [], next: undefined }),
    retry: ask('retry', 1),
    cancel: ask('cancel', 1),
    purge: ask('purge', 1),
  };
  const jobs = { admin, invocations: {} };
  const commands = new JobCommands(jobs as unknown as ConstructorParameters<typeof JobCommands>[0], {
    cronTriggers: () => [],
    deliveries: () => ({ producers: [], subscriptions: [] }),
  });
  const caller = { role: 'admin', variables: {}, isOperator: true, log: createLogger('gateway', 'silent') };
  const begun = () => asked.map(({ what }) => what);
  const run = async (type: string, args: object = { ids: [ID] }) => commands.run(type, args, caller);
  const settle = () => new Promise(setImmediate);
  return { asked, begun, run, settle };
}

test('an act does not wait for a list that takes long, nor is it refused where many wait for lists', async () => {
  const { asked, begun, run, settle } = controlled();
  const lists = Array.from({ length: 20 }, () => run('portico_get_jobs', {}));
  await expect(run('portico_get_jobs', {})).rejects.toMatchObject({ code: 'service-unavailable' });
  const act = run('portico_cancel_jobs');
  await settle();
  expect(begun()).toEqual(['page', 'cancel']);
  asked[1]?.answer();
  expect(await act).toEqual({ changed: 1 });
  for (let list = 0; list < lists.length; list++) {
    asked.filter(({ what }) => what === 'page')[list]?.answer();
    await lists[list];
    await settle();
  }
});

test('acts take turns, too many of them are refused, and lists go on beside them', async () => {
  const { asked, begun, run, settle } = controlled();
  const types = ['retry', 'cancel', 'purge'];
  const acts = Array.from({ length: 20 }, (_, index) => run(`portico_${types[index % 3]}_jobs`));
  await expect(run('portico_retry_jobs')).rejects.toMatchObject({
    code: 'service-unavailable',
    headers: { 'retry-after': '1' },
  });
  const list = run('portico_get_jobs', {});
  await settle();
  expect(begun()).toEqual(['retry', 'page']);
  asked[1]?.answer();
  await list;
  asked[0]?.answer();
  await acts[0];
  await settle();
  expect(begun()).toEqual(['retry', 'page', 'cancel']);
  for (let act = 1; act < acts.length; act++) {
    asked[act + 1]?.answer();
    expect(await acts[act]).toEqual({ changed: 1 });
    await settle();
  }
});
