import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { JobAcceptor } from '../../../gateway/jobs/engine/accept.ts';
import { JobCounts } from '../../../gateway/jobs/engine/counts.ts';
import { DatabaseClock } from '../../../gateway/jobs/engine/database/clock.ts';
import type { JobsDatabase } from '../../../gateway/jobs/engine/database/index.ts';
import { isDeeperThan } from '../../../gateway/jobs/engine/jsonb-text.ts';
import { type SettledRow, settlementOf } from '../../../gateway/jobs/engine/settlements.ts';
import { WORK } from './jobs-harness.ts';

const MIB = 1024 ** 2;

/** Accepts jobs with a database that only has this answer; `sent` are the payloads of each statement, `bytes` its size. */
function acceptorOn(answer: (payloads: readonly unknown[]) => Promise<void> | void) {
  const sent: unknown[][] = [];
  const bytes: number[] = [];
  const database = {
    migrate: async () => {},
    clock: new DatabaseClock(),
    query: async (_text: string, [json]: readonly string[]) => {
      const jobs: { index: number; id: string; payload: unknown }[] = JSON.parse(json as string);
      const payloads = jobs.map(({ payload }) => payload);
      sent.push(payloads);
      bytes.push(Buffer.byteLength(json as string));
      await answer(payloads);
      return jobs.map(({ index, id }) => ({ index, id, is_known: false }));
    },
  } as unknown as JobsDatabase;
  return { acceptor: new JobAcceptor(database, new JobCounts(), () => {}), sent, bytes };
}

function databaseError(code: string): Error {
  return Object.assign(new pg.DatabaseError('refused', 1, 'error'), { code });
}

test('batches of large jobs are limited in bytes', async () => {
  const { acceptor, bytes } = acceptorOn(() => {});
  const payload = 'x'.repeat(MIB);
  await Promise.all(Array.from({ length: 40 }, () => acceptor.accept({ ...WORK, payload })));
  expect(Math.max(...bytes)).toBeLessThanOrEqual(17 * MIB);
  expect(bytes).toHaveLength(3);
});

test('jobs beyond the bytes that may wait are refused, and those before are accepted', async () => {
  let go = () => {};
  const released = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { acceptor, sent } = acceptorOn(() => released);
  const payload = 'x'.repeat(10 * MIB);
  const first = [acceptor.accept({ ...WORK, payload }), acceptor.accept({ ...WORK, payload })];
  while (sent.length < 2) await turn();
  const waiting = Array.from({ length: 6 }, () => acceptor.accept({ ...WORK, payload }));
  await expect(acceptor.accept({ ...WORK, payload })).rejects.toMatchObject({
    code: 'service-unavailable',
    message: 'too many jobs are waiting to be accepted',
  });
  const tiny = acceptor.accept(WORK);
  go();
  expect(await Promise.all([...first, ...waiting, tiny])).toHaveLength(9);
  await acceptor.accept({ ...WORK, payload });
});

test('a job that the database refuses fails alone', async () => {
  const { acceptor, sent } = acceptorOn((payloads) => {
    if (payloads.includes('bad')) throw databaseError('54000');
  });
  const answers = await Promise.allSettled(['a', 'bad', 'c'].map((payload) => acceptor.accept({ ...WORK, payload })));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(answers[1]).toMatchObject({ reason: { code: 'service-unavailable' } });
  expect(sent).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test.each([
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a server that stops', databaseError('57P01')],
  ['a statement that takes too long', databaseError('57014')],
  ['a disk that is full', databaseError('53100')],
])('%s refuses the whole batch with one statement', async (_what, error) => {
  const { acceptor, sent } = acceptorOn(() => {
    throw error;
  });
  const answers = await Promise.allSettled(['a', 'b'].map((payload) => acceptor.accept({ ...WORK, payload })));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(sent).toHaveLength(1);
});

test('a database that is lost while jobs are sent alone is not asked for the others', async () => {
  const { acceptor, sent } = acceptorOn((payloads) => {
    throw payloads.length > 1 ? databaseError('54000') : new Error('Connection terminated unexpectedly');
  });
  const answers = await Promise.allSettled(['a', 'b', 'c'].map((payload) => acceptor.accept({ ...WORK, payload })));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(sent).toEqual([['a', 'b', 'c'], ['a']]);
});

test.each<[what: string, row: Partial<SettledRow>, expected: object]>([
  ['a small output', { output: { a: [1] } }, { outcome: 'done', output: { a: [1] } }],
  ['an output of 5 MiB', { output: 'x'.repeat(5 * MIB) }, { outcome: 'failed', reason: 'too-large' }],
  ['an output that is 100,000 deep', { output: nested(100_000) }, { outcome: 'failed', reason: 'too-large' }],
  ['errors of 5 MiB', { outcome: 'failed', errors: 'x'.repeat(5 * MIB) }, { outcome: 'failed', reason: 'too-large' }],
  ['those of a dead job', { outcome: 'dead', errors: nested(513) }, { outcome: 'dead', reason: 'too-large' }],
  ['what is no JSON', { output: 1n as never }, { outcome: 'dead', reason: 'unstorable' }],
])('%s is written down within the limits', (_what, row, expected) => {
  const { text, bytes } = settlementOf({ id: 'a', attempt: 1, outcome: 'done', ...row });
  expect(JSON.parse(text)).toEqual({ id: 'a', attempt: 1, ...expected });
  expect(bytes).toBe(Buffer.byteLength(text));
});

test.each([
  [0, 0, false],
  [512, 512, false],
  [513, 512, true],
])('a value of %i levels, with %i allowed', (depth, levels, isDeeper) => {
  expect(isDeeperThan(nested(depth), levels)).toBe(isDeeper);
});

function nested(depth: number): never {
  return JSON.parse('['.repeat(depth) + (depth === 0 ? '1' : '') + ']'.repeat(depth)) as never;
}
