import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dead, done, failed } from '../../../gateway/jobs/engine/index.ts';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { ADMIN_SECRET, type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, makeKey, openIssuer, signToken } from '../harness/index.ts';
import { eventually, jobsOn, WORK } from '../jobs/jobs-harness.ts';

interface Job {
  readonly id: string;
  readonly queue: string;
  readonly tenant: string;
  readonly state: string;
  readonly [other: string]: unknown;
}
interface Jobs {
  readonly items: readonly Job[];
  readonly next: string | null;
  readonly may_operate: boolean;
}

const LOOKS = [
  'portico_get_job_queues',
  'portico_get_jobs',
  'portico_get_job',
  'portico_get_cron_triggers',
  'portico_get_one_off_events',
  'portico_get_event_subscriptions',
];
const ACTS = ['portico_retry_jobs', 'portico_cancel_jobs', 'portico_purge_jobs'];
/** What is of people, and of no interest to operators. */
const PERSONAL = /of-a-person/;

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
const jobs = jobsOn(database);
let isMended = false;
const worker = jobs.worker(async ({ queue }) => {
  if (queue === 'good' || isMended) return done('output-of-a-person');
  const errors = { error: 'message-of-a-person', path: '$', code: 'card-declined' };
  return queue === 'refused' ? failed('http-4xx', errors) : dead('http-5xx', errors);
});
const environment = { PORTICO_INSIGHT_ROLES: 'watcher', HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url };
const gateway = await keep(openEditedGateway({}, { issuer, environment }));
afterAll(async () => {
  await close();
  await jobs.close();
  await database.drop();
});

const ofPerson = {
  payload: { name: 'input-of-a-person' },
  owner: { 'x-hasura-user-id': 'owner-of-a-person' },
} as const;
const accept = (queue: string, tenant: string, more = {}) =>
  worker.enqueue({ ...WORK, ...ofPerson, kind: 'idle', queue, tenant, ...more });
const run = (queue: string, tenant: string, more = {}) => accept(queue, tenant, { kind: 'work', ...more });
const inState = async (...states: string[]) => (await get<Jobs>('portico_get_jobs', { states })).items;

let ids: Readonly<Record<'queued' | 'done' | 'failed' | 'dead' | 'planned', string>>;
beforeAll(async () => {
  const [queued, planned, good, refused, bad] = [
    await accept('mails', '1', { orderKey: 'key-of-a-person' }),
    await accept('mails', '2', { runAt: Date.now() + 3_600_000 }),
    await run('good', '1'),
    await run('refused', '1'),
    await run('bad', '2'),
  ];
  for (const tenant of ['1', '2']) await run('bad', tenant);
  ids = { queued: queued.id, planned: planned.id, done: good.id, failed: refused.id, dead: bad.id };
  await eventually(async () => (await inState('done', 'failed', 'dead')).length === 5);
});

/** Runs a command as an administrator. */
async function get<Body>(type: string, args: object = {}, of: EditedGateway = gateway): Promise<Body> {
  const { status, text, body } = await of.command<Body>(type, args);
  expect([status, status === 200 || text]).toEqual([200, true]);
  return body;
}

function send(type: string, args: object, headers: Record<string, string>, of: EditedGateway = gateway) {
  return of.post<Record<string, unknown>>('/v1/metadata', { type, args }, headers);
}

const argsOf = (type: string): object => {
  if (type === 'portico_get_job') return { id: ids.dead };
  return ACTS.includes(type) ? { kind: 'work', queue: 'bad' } : {};
};
const withScope = (scope: unknown, role = 'user') => bearer(issuer.token({ role, roles: [role], payload: { scope } }));

describe('jobs are not for', () => {
  const forged = makeKey('key-1');
  test.each<[who: string, headers: () => Record<string, string>]>([
    ['a caller without a token', () => ({})],
    ['a wrong admin secret', () => ({ 'x-hasura-admin-secret': 'wrong' })],
    ['a user', () => bearer(issuer.token())],
    ['an administrator of a tenant', () => bearer(issuer.token({ role: 'tenant_admin', roles: ['tenant_admin'] }))],
    ['the role of operators without their scope', () => withScope(undefined, 'platform_operator')],
    ['a scope that begins like the one of operators', () => withScope('platform:administrator')],
    ['a scope that has it within a word', () => withScope('read:platform:admin')],
    ['a scope in other letters', () => withScope('Platform:Admin')],
    ['a scope that is no text', () => withScope({ 'platform:admin': true })],
    [
      'headers that name scope and role',
      () => ({ ...bearer(issuer.token()), scope: 'platform:admin', 'x-role': 'admin' }),
    ],
    ['a role that the token does not allow', () => ({ ...bearer(issuer.token()), 'x-hasura-role': 'watcher' })],
    [
      'a session variable of the name of the scope',
      () => bearer(issuer.token({ hasura: { 'x-hasura-scope': 'platform:admin' } })),
    ],
    [
      'a token of another key',
      () => bearer(signToken({ role: 'admin', roles: ['admin'], payload: { scope: 'platform:admin' } }, forged)),
    ],
    ['a token that has expired', () => bearer(issuer.token({ payload: { scope: 'platform:admin', exp: 1 } }))],
  ])('%s', async (_, headers) => {
    const before = await inState('dead', 'queued', 'scheduled');
    for (const type of [...LOOKS, ...ACTS]) {
      const { status, text } = await send(type, argsOf(type), headers());
      expect([401, 403]).toContain(status);
      expect(text).not.toMatch(/http-5xx|mails|bad|items/);
    }
    expect(await inState('dead', 'queued', 'scheduled')).toEqual(before);
  });
});

describe('a role that may look into the gateway', () => {
  const watcher = () => bearer(issuer.token({ role: 'watcher', roles: ['watcher'] }));

  test('sees jobs, without keys that may name people', async () => {
    const { status, body } = await send('portico_get_jobs', { states: ['queued'] }, watcher());
    expect([status, body]).toMatchObject([
      200,
      { may_operate: false, items: [{ id: ids.queued, order_key: null, idempotency_key: null }] },
    ]);
    for (const type of LOOKS) expect((await send(type, argsOf(type), watcher())).body.may_operate).toBe(false);
  });

  test.each(ACTS)('is refused %s', async (type) => {
    const before = await inState('dead', 'queued', 'scheduled');
    expect(await send(type, argsOf(type), watcher())).toMatchObject({ status: 403, body: { code: 'access-denied' } });
    expect(await inState('dead', 'queued', 'scheduled')).toEqual(before);
  });
});

describe('a platform operator, whose token has the scope', () => {
  test('sees jobs and acts on them with any role, and gets no other command by that', async () => {
    for (const headers of [withScope('platform:admin', 'platform_operator'), withScope('openid platform:admin')]) {
      const { body } = await send('portico_get_jobs', { states: ['queued'] }, headers);
      expect(body).toMatchObject({ may_operate: true, items: [{ order_key: 'key-of-a-person' }] });
      expect(await send('portico_cancel_jobs', { ids: [ids.done] }, headers)).toMatchObject({ body: { changed: 0 } });
      for (const type of ['export_metadata', 'reload_metadata', 'portico_get_sources', 'get_cron_triggers', 'bulk'])
        expect([type, (await send(type, {}, headers)).status]).toEqual([type, 403]);
    }
  });
});

describe('lists', () => {
  test('have the newest first, by state, kind, queue and tenant', async () => {
    const { items, next } = await get<Jobs>('portico_get_jobs');
    expect([items.length, next]).toEqual([7, null]);
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    const listed = async (args: object) => (await get<Jobs>('portico_get_jobs', args)).items.map(({ id }) => id);
    expect(await listed({ states: ['done'] })).toEqual([ids.done]);
    expect(await listed({ states: ['scheduled', 'queued'], kind: 'idle' })).toEqual([ids.planned, ids.queued]);
    expect(await listed({ kind: 'idle', tenant: '2' })).toEqual([ids.planned]);
    expect(await listed({ queue: 'bad', tenant: '2' })).toHaveLength(2);
    for (const strange of ["bad' OR true --", '%', 'Bad', '\u{1f4a9}', '\ud800'])
      expect(await listed({ queue: strange })).toEqual([]);
  });

  test('have pages, which no job of another page is on', async () => {
    const seen: string[] = [];
    let after: string | undefined;
    for (const size of [2, 2, 2, 1]) {
      const page = await get<Jobs>('portico_get_jobs', { limit: 2, after });
      expect(page.items).toHaveLength(size);
      seen.push(...page.items.map(({ id }) => id));
      after = page.next ?? undefined;
    }
    expect([after, new Set(seen).size]).toEqual([undefined, 7]);
    // A cursor is a place, and no job that has to be there.
    const [last = ''] = seen;
    expect((await get<Jobs>('portico_get_jobs', { after: last.toUpperCase() })).items).toHaveLength(6);
    expect((await get<Jobs>('portico_get_jobs', { after: '00000000-0000-0000-0000-000000000000' })).items).toEqual([]);
  });

  test('of queues have how many jobs are in which state', async () => {
    expect(await get('portico_get_job_queues', { max_age_ms: 0 })).toEqual({
      items: [
        {
          kind: 'idle',
          queue: 'mails',
          queued: 1,
          running: 0,
          scheduled: 1,
          waiting: 0,
          dead: 0,
          oldest_queued_seconds: expect.any(Number),
          pauses: [],
        },
        {
          kind: 'work',
          queue: 'bad',
          queued: 0,
          running: 0,
          scheduled: 0,
          waiting: 0,
          dead: 3,
          oldest_queued_seconds: null,
          pauses: [],
        },
      ],
      omitted: 0,
      may_operate: true,
    });
  });

  test('of queues have what is paused and why, also where no jobs of it are counted', async () => {
    const [since, until] = ['2026-01-02T03:04:05.000Z', new Date(Date.now() + 60_000).toISOString()];
    const pauses = [
      { kind: 'work', queue: 'bad', tenant: null, reason: 'circuit-open', since, until },
      { kind: 'work', queue: 'away', tenant: '7', reason: 'schedule-changed', since, until },
    ];
    const plant = (value: object) =>
      jobs.sql(`UPDATE portico_jobs.runner SET pauses = $1 WHERE id = (SELECT id FROM portico_jobs.runner LIMIT 1)`, [
        JSON.stringify(value),
      ]);
    await plant(pauses);
    const { items } = await get<{ items: readonly { queue: string; dead: number; pauses: unknown }[] }>(
      'portico_get_job_queues',
    );
    await plant([]);
    const shown = { since, until, processes: 1, of_processes: 2 };
    expect(items.map(({ queue, dead: count, pauses: held }) => [queue, count, held])).toEqual([
      ['mails', 0, []],
      ['away', 0, [{ tenant: '7', reason: 'schedule-changed', ...shown }]],
      ['bad', 3, [{ tenant: null, reason: 'circuit-open', ...shown }]],
    ]);
  });
});

describe('a job', () => {
  test('has its attempts, times and reasons, and nothing of input, session and result', async () => {
    const shown = await gateway.command('portico_get_job', { id: ids.dead });
    expect(shown.body).toEqual({
      id: ids.dead,
      kind: 'work',
      queue: 'bad',
      tenant: '2',
      state: 'dead',
      attempts: 1,
      max_attempts: 3,
      accepted_at: expect.stringMatching(/Z$/),
      run_at: null,
      expires_at: null,
      started_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
      reason: 'http-5xx',
      order_key: null,
      idempotency_key: ids.dead,
      error_code: 'card-declined',
      percent: null,
      invocations: [],
      may_operate: true,
    });
    for (const id of [ids.dead, ids.failed, ids.done, ids.planned]) {
      const { status, text } = await gateway.command('portico_get_job', { id });
      expect([status, PERSONAL.test(text)]).toEqual([200, false]);
    }
    expect((await gateway.command('portico_get_jobs', { states: ['done', 'failed', 'dead'] })).text).not.toMatch(
      PERSONAL,
    );
  });

  test('that is not there is refused', async () => {
    expect(await gateway.command('portico_get_job', { id: '01a20547-cb68-7785-a3e7-888fbd921d2f' })).toMatchObject({
      status: 400,
      body: { code: 'not-found', path: '$.args.id' },
    });
  });

  test('has the calls of its webhook without what was sent and answered', async () => {
    const { id } = await run('good', '3');
    await eventually(
      async () => (await get<Jobs>('portico_get_jobs', { tenant: '3', states: ['done'] })).items.length === 1,
    );
    const [job] = (await worker.admin.list({ ids: [id] })) as [never];
    await worker.invocations.record(job, { status: 500, request: 'sent-of-a-person', response: 'said-of-a-person' });
    await worker.invocations.record(job, { status: null, request: {}, response: {} });
    const { body, text } = await gateway.command<{ invocations: object[] }>('portico_get_job', { id });
    expect(body.invocations.map((one) => Object.keys(one))).toEqual([
      ['id', 'created_at', 'status'],
      ['id', 'created_at', 'status'],
    ]);
    expect(body.invocations).toMatchObject([{ status: null }, { status: 500 }]);
    expect(text).not.toMatch(PERSONAL);
  });
});

describe('what is no argument is refused, and changes nothing:', () => {
  const ID = '01a20547-cb68-7785-a3e7-888fbd921d2f';
  test.each<[string, unknown, string]>([
    ['portico_get_jobs', { limit: 0 }, '$.args.limit'],
    ['portico_get_jobs', { limit: 201 }, '$.args.limit'],
    ['portico_get_jobs', { limit: 1.5 }, '$.args.limit'],
    ['portico_get_jobs', { limit: '2' }, '$.args.limit'],
    ['portico_get_jobs', { states: [] }, '$.args.states'],
    ['portico_get_jobs', { states: 'dead' }, '$.args.states'],
    ['portico_get_jobs', { states: ['lost'] }, '$.args.states.0'],
    ['portico_get_jobs', { queue: '' }, '$.args.queue'],
    ['portico_get_jobs', { queue: 'a\0b' }, '$.args.queue'],
    ['portico_get_jobs', { queue: 'x'.repeat(501) }, '$.args.queue'],
    ['portico_get_jobs', { tenant: { $ne: 1 } }, '$.args.tenant'],
    ['portico_get_jobs', { tenant: 1 }, '$.args.tenant'],
    ['portico_get_jobs', { after: 'x' }, '$.args.after'],
    ['portico_get_jobs', { after: `${ID}' --` }, '$.args.after'],
    ['portico_get_jobs', { offset: 1 }, '$.args'],
    ['portico_get_jobs', [1], '$.args'],
    ['portico_get_job', {}, '$.args.id'],
    ['portico_get_job', { id: [ID] }, '$.args.id'],
    ['portico_get_job_queues', { all: true }, '$.args'],
    ['portico_get_job_queues', { max_age_ms: -1 }, '$.args.max_age_ms'],
    ['portico_get_job_queues', { max_age_ms: 60_001 }, '$.args.max_age_ms'],
    ['portico_get_job_queues', { max_age_ms: 0.5 }, '$.args.max_age_ms'],
    ['portico_get_job_queues', { max_age_ms: '0' }, '$.args.max_age_ms'],
    ['portico_get_job_queues', { max_age_ms: null }, '$.args.max_age_ms'],
    ['portico_retry_jobs', {}, '$.args'],
    ['portico_retry_jobs', null, '$.args'],
    ['portico_cancel_jobs', { kind: 'idle' }, '$.args'],
    ['portico_cancel_jobs', { ids: [] }, '$.args'],
    ['portico_cancel_jobs', { ids: Array(501).fill(ID) }, '$.args'],
    ['portico_cancel_jobs', { ids: [ID], kind: 'idle', queue: 'mails' }, '$.args'],
    ['portico_purge_jobs', { kind: 'work', queue: 'bad', states: ['queued'] }, '$.args'],
    ['portico_purge_jobs', { kind: 'work', queue: 'bad', tenant: null }, '$.args'],
  ])('%s %j', async (type, args, path) => {
    const before = await inState('dead', 'queued', 'scheduled');
    const answer = await gateway.command(type, args as object);
    expect([answer.status, answer.body.code]).toEqual([400, 'parse-failed']);
    expect(String(answer.body.path).startsWith(path)).toBe(true);
    expect(await inState('dead', 'queued', 'scheduled')).toEqual(before);
  });

  test.each<[what: string, body: Buffer, status: number]>([
    ['a name that is no UTF-8', Buffer.from('{"type":"portico_get_jobs","args":{"queue":"\xff\xfe"}}', 'latin1'), 400],
    ['a type that is no UTF-8', Buffer.from('{"type":"portico_get_jobs\xc0","args":{}}', 'latin1'), 400],
    ['a truncated text', Buffer.from('{"type":"portico_purge_jobs","args":{"kind":"work","queue":"bad"'), 400],
    [
      'arguments of the prototype',
      Buffer.from('{"type":"portico_purge_jobs","args":{"__proto__":{"kind":"work","queue":"bad"}}}'),
      400,
    ],
    ['the last of two types', Buffer.from('{"type":"portico_purge_jobs","type":"portico_get_jobs","args":{}}'), 200],
    [
      'deep arguments',
      Buffer.from(`{"type":"portico_get_jobs","args":{"states":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`),
      400,
    ],
  ])('bytes of %s', async (_, body, status) => {
    const before = await inState('dead');
    const headers = { 'x-hasura-admin-secret': ADMIN_SECRET, 'content-type': 'application/json' };
    const answer = await gateway.send<Jobs>('/v1/metadata', { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(await inState('dead')).toEqual(before);
  });

  test('a bulk, a GET and a form', async () => {
    const bulk = [{ type: 'portico_purge_jobs', args: { kind: 'work', queue: 'bad' } }];
    expect(await gateway.command('bulk', bulk)).toMatchObject({ status: 400, body: { code: 'not-supported' } });
    const headers = { 'x-hasura-admin-secret': ADMIN_SECRET };
    const path = '/v1/metadata?type=portico_purge_jobs&kind=work&queue=bad';
    expect((await gateway.send(path, { headers })).status).toBe(405);
    const form = { ...headers, 'content-type': 'text/plain' };
    const body = JSON.stringify({ type: 'portico_purge_jobs', args: { kind: 'work', queue: 'bad' } });
    expect((await gateway.send('/v1/metadata', { method: 'POST', headers: form, body })).status).toBe(415);
    expect(await inState('dead')).toHaveLength(3);
  });
});

describe('an operator', () => {
  const logged = () => gateway.logged('"jobs.operated"').at(-1);

  test('cancels what is not finished, one or a whole queue', async () => {
    const more = [await accept('many', '1'), await accept('many', '2'), await accept('many', '2')];
    const [one] = more;
    expect(await get('portico_cancel_jobs', { ids: [one?.id, ids.done] })).toEqual({ changed: 1 });
    expect(await get('portico_cancel_jobs', { kind: 'work', queue: 'many' })).toEqual({ changed: 0 });
    expect(await get('portico_cancel_jobs', { kind: 'idle', queue: 'many', tenant: '1' })).toEqual({ changed: 0 });
    expect(await get('portico_cancel_jobs', { kind: 'idle', queue: 'many' })).toEqual({ changed: 2 });
    expect((await get<Jobs>('portico_get_jobs', { queue: 'many' })).items.map(({ state }) => state)).toEqual(
      Array(3).fill('cancelled'),
    );
  });

  test('purges and retries dead jobs, one or a whole queue, and nothing else of it', async () => {
    expect(await get('portico_purge_jobs', { kind: 'idle', queue: 'mails' })).toEqual({ changed: 0 });
    expect(await get('portico_purge_jobs', { ids: [ids.queued, ids.done] })).toEqual({ changed: 0 });
    expect(await get('portico_purge_jobs', { ids: [ids.dead] })).toEqual({ changed: 1 });
    expect(await get('portico_purge_jobs', { kind: 'work', queue: 'bad', tenant: '1' })).toEqual({ changed: 1 });
    isMended = true;
    expect(await get('portico_retry_jobs', { kind: 'work', queue: 'bad' })).toEqual({ changed: 1 });
    await eventually(async () => (await get<Jobs>('portico_get_jobs', { queue: 'bad' })).items[0]?.state === 'done');
    // A planned job keeps its time.
    expect(await get('portico_retry_jobs', { ids: [ids.planned] })).toEqual({ changed: 0 });
  });

  test('is named in the log, with what was done', async () => {
    const token = issuer.token({ payload: { scope: 'platform:admin' } });
    await send(
      'portico_retry_jobs',
      { kind: 'idle', queue: 'a\n"b' },
      { ...bearer(token), 'x-request-id': 'operated-1' },
    );
    expect(logged()).toMatchObject({
      level: 'info',
      event: 'jobs.operated',
      act: 'retry',
      role: 'user',
      user_id: '7',
      tenant_id: '1',
      kind: 'idle',
      queue: 'a\n"b',
      outcome: 'success',
      changed: 0,
      request_id: 'operated-1',
    });
    await get('portico_cancel_jobs', { ids: Array(60).fill(ids.done) });
    expect(logged()).toMatchObject({ act: 'cancel', role: 'admin', ids: Array(50).fill(ids.done), ids_omitted: 10 });
  });
});

describe('a gateway without a database for jobs', () => {
  test('says so to those who may run its commands', async () => {
    const without = await openEditedGateway({}, { issuer, environment: { PORTICO_INSIGHT_ROLES: 'watcher' } });
    try {
      for (const type of [...LOOKS, ...ACTS]) {
        expect(await without.command(type)).toMatchObject({
          status: 400,
          body: { code: 'not-supported', error: expect.stringContaining('HASURA_GRAPHQL_METADATA_DATABASE_URL') },
        });
        expect((await send(type, {}, bearer(issuer.token()), without)).status).toBe(403);
      }
    } finally {
      await without.close();
    }
  });

  test('that does not answer refuses them, to be tried again', async () => {
    const url = 'postgresql://portico_jobs:of-a-person@127.0.0.1:1/portico_jobs';
    const away = await openEditedGateway({}, { issuer, environment: { HASURA_GRAPHQL_METADATA_DATABASE_URL: url } });
    try {
      for (const type of [...LOOKS, ...ACTS]) {
        const { status, headers, text } = await away.command(type, argsOf(type));
        expect([type, status, headers['retry-after'], PERSONAL.test(text)]).toEqual([type, 503, '5', false]);
      }
      expect(away.logged('"jobs.operated"').map(({ outcome }) => outcome)).toEqual(Array(3).fill('failed'));
      expect(away.logs()).not.toMatch(PERSONAL);
    } finally {
      await away.close();
    }
  });
});

test('many who ask at the same time share answers or take turns, and are refused where too many wait', async () => {
  const queues = await Promise.all(Array.from({ length: 60 }, () => gateway.command('portico_get_job_queues')));
  expect(new Set(queues.map(({ status }) => status))).toEqual(new Set([200]));
  const lists = await Promise.all(Array.from({ length: 60 }, () => gateway.command('portico_get_jobs')));
  const refused = lists.filter(({ status }) => status !== 200);
  for (const { status, headers } of refused) expect([status, headers['retry-after']]).toEqual([503, '1']);
  expect((await gateway.command('portico_get_jobs')).status).toBe(200);
});
