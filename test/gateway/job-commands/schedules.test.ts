import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, makeKey, openIssuer, reply, signToken, webhook } from '../harness/index.ts';
import { eventually, jobsOn } from '../jobs/jobs-harness.ts';

interface Triggers {
  readonly items: readonly { readonly name: string; readonly last: null | { readonly state: string } }[];
  readonly omitted: number;
}
interface Events {
  readonly items: readonly { readonly id: string }[];
  readonly are_more: boolean;
}

const LISTS = ['portico_get_cron_triggers', 'portico_get_one_off_events'];
const ACCEPTED_KEYS = ['id', 'kind', 'queue', 'tenant', 'state', 'attempts', 'max_attempts', 'accepted_at', 'run_at'];
const OTHER_KEYS = ['expires_at', 'started_at', 'finished_at', 'reason', 'order_key', 'idempotency_key'];
/** What is of people, and of no interest to operators. */
const PERSONAL = /of-a-person/;
/** What those who may not look must not see. */
const SHOWN = /nightly|leap-day|127\.0\.0\.1|items|is_planned/;

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
const jobs = jobsOn(database);
const hook = await keep(webhook((received, response) => reply(response, received.url.includes('bad') ? 500 : 200, {})));
const triggerOf = (name: string, schedule: string, more: object = {}) => ({
  name,
  schedule,
  webhook: `{{HOOK_URL}}/${name}?key=of-a-person`,
  headers: [{ name: 'x-key', value: 'header-of-a-person' }],
  payload: { name: 'payload-of-a-person' },
  include_in_metadata: true,
  ...more,
});
// Of times that no run of this test comes upon.
const TRIGGERS = [
  triggerOf('nightly', '30 2 29 2 *', { time_zone: 'Europe/Berlin', comment: 'figures of the day before' }),
  triggerOf('bad', '0 0 29 2 *'),
  triggerOf('leap-day', '0 0 29 2 *'),
];
const environment = {
  HOOK_URL: hook.url,
  PORTICO_INSIGHT_ROLES: 'watcher',
  HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
};
const gateway = await keep(openEditedGateway({ 'cron_triggers.yaml': TRIGGERS }, { issuer, environment }));
afterAll(async () => {
  await close();
  await jobs.close();
  await database.drop();
});

/** Runs a command as an administrator. */
async function get<Body>(type: string, args: object = {}): Promise<Body> {
  const { status, text, body } = await gateway.command<Body>(type, args);
  expect([status, status === 200 || text]).toEqual([200, true]);
  expect(text).not.toMatch(PERSONAL);
  return body;
}
const send = (type: string, headers: Record<string, string>, args: object = {}) =>
  gateway.post<Record<string, unknown>>('/v1/metadata', { type, args }, headers);
const withScope = (scope: unknown, role = 'user') => bearer(issuer.token({ role, roles: [role], payload: { scope } }));

async function createEvent(at: number, path = 'later'): Promise<string> {
  const { body } = await gateway.command<{ event_id: string }>('create_scheduled_event', {
    webhook: `{{HOOK_URL}}/${path}-of-a-person`,
    schedule_at: new Date(at).toISOString(),
    payload: { name: 'payload-of-a-person' },
    comment: 'comment-of-a-person',
  });
  return body.event_id;
}

describe('cron triggers', () => {
  const list = async () => (await get<Triggers>('portico_get_cron_triggers')).items;

  test('have their next time in their zone, and none that was before, until one has come', async () => {
    await eventually(async () => JSON.stringify(await list()).includes('"is_planned":true'));
    const [nightly] = await list();
    expect(nightly).toEqual({
      name: 'nightly',
      schedule: '30 2 29 2 *',
      time_zone: 'Europe/Berlin',
      comment: 'figures of the day before',
      next_at: expect.stringMatching(/-02-29T01:30:00\.000Z$/),
      is_planned: true,
      last: null,
    });
    expect((await list()).map(({ name }) => name)).toEqual(['nightly', 'bad', 'leap-day']);
  });

  test('have what came of the last of their times, and what is planned is none of them', async () => {
    const enqueueing = jobs.open({ mode: 'accept' });
    const enqueue = (queue: string, time: string, runAt?: number) =>
      enqueueing.enqueue({ kind: 'cron', queue, idempotencyKey: time, maxAttempts: 6, payload: null, runAt });
    await enqueue('nightly', '2020-02-29T01:30:00.000Z');
    await eventually(async () => (await list())[0]?.last?.state === 'done');
    await enqueue('nightly', '2024-02-29T01:30:00.000Z');
    await enqueue('bad', '2024-02-29T00:00:00.000Z');
    await enqueue('leap-day', '2028-02-29T00:00:00.000Z', Date.now() + 3_600_000);
    const of = async (name: string) => (await list()).find((trigger) => trigger.name === name)?.last;
    await eventually(async () => (await of('bad'))?.state === 'dead');
    const scheduled_at = '2024-02-29T01:30:00.000Z';
    await eventually(async () => JSON.stringify(await of('nightly')).includes(scheduled_at));
    await eventually(async () => (await of('nightly'))?.state === 'done');
    expect(await of('nightly')).toMatchObject({ queue: 'nightly', reason: null, scheduled_at });
    expect(await of('bad')).toMatchObject({ attempts: 1, max_attempts: 1, reason: 'server-error', run_at: null });
    expect(Object.keys((await of('bad')) ?? {})).toEqual([...ACCEPTED_KEYS, ...OTHER_KEYS, 'scheduled_at']);
    expect(await of('leap-day')).toBeNull();
    // One that is tried again is not what is planned.
    await jobs.sql("UPDATE portico_jobs.live SET attempts = 1, reason = 'timeout' WHERE queue = 'leap-day'");
    expect(await of('leap-day')).toMatchObject({ state: 'scheduled', attempts: 1, reason: 'timeout' });
  });

  test('that no gateway plans are marked, and those that a reload removes are not listed', async () => {
    // They are planned again and again.
    await eventually(async () => {
      await jobs.sql("UPDATE portico_jobs.cron_plan SET planned_until = now() - interval '1 s' WHERE name = 'bad'");
      return JSON.stringify((await list())[1]).includes('"is_planned":false');
    });
    await gateway.edit({ 'cron_triggers.yaml': TRIGGERS.slice(1) });
    expect((await list()).map(({ name }) => name)).toEqual(['bad', 'leap-day']);
    await gateway.edit({ 'cron_triggers.yaml': TRIGGERS });
  });
});

test('times of a trigger that the metadata lacks are paused, and a queue says so while it is left to others', async () => {
  const now = new Date();
  now.setUTCSeconds(0, 0);
  const job = { kind: 'cron', queue: 'of-newer-metadata', maxAttempts: 6, payload: null };
  // It is left to others until a minute after its time.
  await jobs.open({ mode: 'accept' }).enqueue({ ...job, idempotencyKey: new Date(+now + 600_000).toISOString() });
  type Queues = { readonly items: readonly { readonly queue: string; readonly pauses: readonly object[] }[] };
  const pauses = async () =>
    (await get<Queues>('portico_get_job_queues')).items.find(({ queue }) => queue === job.queue)?.pauses ?? [];
  await eventually(async () => (await pauses()).length > 0);
  const first = await pauses();
  expect(first).toEqual([
    {
      tenant: null,
      reason: 'schedule-changed',
      since: expect.stringMatching(/Z$/),
      until: expect.stringMatching(/Z$/),
      processes: 1,
      of_processes: 1,
    },
  ]);
  const since = (list: readonly object[]) => (list[0] as { since: string }).since;
  const until = (list: readonly object[]) => (list[0] as { until: string }).until;
  await eventually(async () => until(await pauses()) > until(first));
  expect(since(await pauses())).toBe(since(first));
  await get('portico_cancel_jobs', { kind: 'cron', queue: job.queue });
});

describe('one-off events that are to come', () => {
  test('are listed, the soonest first, as many as asked for', async () => {
    expect(await get('portico_get_one_off_events')).toEqual({ items: [], are_more: false, may_operate: true });
    const now = Date.now();
    const [late, soon, middle] = [
      await createEvent(now + 7_200_000),
      await createEvent(now + 1_800_000),
      await createEvent(now + 3_600_000),
    ];
    const { items, are_more } = await get<Events>('portico_get_one_off_events');
    expect([items.map(({ id }) => id), are_more]).toEqual([[soon, middle, late], false]);
    expect(items[0]).toMatchObject({
      queue: new URL(hook.url).origin,
      state: 'scheduled',
      run_at: new Date(now + 1_800_000).toISOString(),
    });
    expect(Object.keys(items[0] ?? {})).toEqual([...ACCEPTED_KEYS, ...OTHER_KEYS]);
    const two = await get<Events>('portico_get_one_off_events', { limit: 2 });
    expect([two.items.map(({ id }) => id), two.are_more]).toEqual([[soon, middle], true]);
    // What has been called is over.
    const called = await createEvent(now - 1_000);
    await eventually(async () => !JSON.stringify(await get('portico_get_one_off_events')).includes(called));
    await get('portico_cancel_jobs', { ids: [soon] });
    expect((await get<Events>('portico_get_one_off_events')).items.map(({ id }) => id)).toEqual([middle, late]);
  });
});

describe('schedules are not for', () => {
  const forged = makeKey('key-1');
  const admins = { role: 'tenant_admin', roles: ['user', 'tenant_admin'] };
  test.each<[who: string, headers: () => Record<string, string>]>([
    ['a caller without a token', () => ({})],
    ['a wrong admin secret', () => ({ 'x-hasura-admin-secret': 'wrong' })],
    ['a user', () => bearer(issuer.token())],
    ['an administrator of a tenant', () => bearer(issuer.token(admins))],
    ['one who asks for another role', () => ({ ...bearer(issuer.token(admins)), 'x-hasura-role': 'admin' })],
    ['one who names the role of lookers', () => ({ ...bearer(issuer.token(admins)), 'x-hasura-role': 'watcher' })],
    ['one whose scope is that of no operator', () => withScope('platform:administrator', 'tenant_admin')],
    ['one whose scope is no text', () => withScope({ 'platform:admin': true }, 'tenant_admin')],
    [
      'one who has the scope as a session variable',
      () => bearer(issuer.token({ ...admins, hasura: { 'x-hasura-scope': 'platform:admin' } })),
    ],
    [
      'one who signs a token',
      () => bearer(signToken({ role: 'admin', roles: ['admin'], payload: { scope: 'platform:admin' } }, forged)),
    ],
    [
      'an operator whose token has expired',
      () => bearer(issuer.token({ payload: { scope: 'platform:admin', exp: 1 } })),
    ],
  ])('%s', async (_, headers) => {
    for (const type of LISTS)
      for (const args of [{}, { limit: 1 }, { tenant: '1' }]) {
        const { status, text } = await send(type, headers(), args);
        expect([401, 403]).toContain(status);
        expect(text).not.toMatch(SHOWN);
        expect(text).not.toMatch(PERSONAL);
      }
  });

  test('a bulk, nor other rights than to look', async () => {
    for (const type of LISTS)
      expect(await gateway.command('bulk', [{ type, args: {} }])).toMatchObject({ body: { code: 'not-supported' } });
    const watcher = bearer(issuer.token({ role: 'watcher', roles: ['watcher'] }));
    for (const type of LISTS) {
      const { status, text } = await send(type, watcher);
      expect([status, PERSONAL.test(text)]).toEqual([200, false]);
      expect(JSON.parse(text)).toMatchObject({ may_operate: false });
      expect(text).not.toMatch(/"(?:order_key|idempotency_key)":"/);
      expect((await send(type, withScope('platform:admin'))).body.may_operate).toBe(true);
    }
    expect((await send('delete_scheduled_event', watcher)).status).toBe(403);
  });
});

test.each<[string, unknown, string]>([
  ['portico_get_cron_triggers', { limit: 1 }, '$.args'],
  ['portico_get_cron_triggers', ['nightly'], '$.args'],
  ['portico_get_one_off_events', { limit: 0 }, '$.args.limit'],
  ['portico_get_one_off_events', { limit: 201 }, '$.args.limit'],
  ['portico_get_one_off_events', { limit: '1; DROP SCHEMA portico_jobs' }, '$.args.limit'],
  ['portico_get_one_off_events', { offset: 1 }, '$.args'],
])('%s refuses %j', async (type, args, path) => {
  const { status, body } = await gateway.command(type, args as object);
  expect([status, body.code, String(body.path).startsWith(path)]).toEqual([400, 'parse-failed', true]);
});

test('without a database for jobs, and without one that answers, lists of schedules are refused', async () => {
  const files = { 'cron_triggers.yaml': TRIGGERS };
  const without = await openEditedGateway(files, { issuer, environment: { HOOK_URL: hook.url } });
  const url = 'postgresql://portico_jobs:of-a-person@127.0.0.1:1/portico_jobs';
  const away = await openEditedGateway(files, {
    issuer,
    environment: { HOOK_URL: hook.url, HASURA_GRAPHQL_METADATA_DATABASE_URL: url },
  });
  try {
    for (const type of LISTS) {
      expect(await without.command(type)).toMatchObject({ status: 400, body: { code: 'not-supported' } });
      const { status, headers, text } = await away.command(type);
      expect([status, headers['retry-after'], PERSONAL.test(text)]).toEqual([503, '5', false]);
    }
  } finally {
    await without.close();
    await away.close();
  }
});
