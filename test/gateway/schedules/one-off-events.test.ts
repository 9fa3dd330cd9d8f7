import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { GatewayError } from '../../../gateway/errors.ts';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually } from '../jobs/jobs-harness.ts';
import {
  openSchedulesWorld,
  type Replica,
  type ReplicaOptions,
  type SchedulesWorld,
  trigger,
} from './schedules-world.ts';

interface Listed {
  readonly count?: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

const command = <T>({ commands }: Replica, name: string, args: unknown) => commands.get(name)?.(args) as Promise<T>;
const create = (replica: Replica, args: object) =>
  command<{ message: string; event_id: string }>(replica, 'create_scheduled_event', args);
const listed = (replica: Replica, more = {}) =>
  command<Listed>(replica, 'get_scheduled_events', { type: 'one_off', ...more });

const PAST = () => new Date(Date.now() - 1_000).toISOString();
const FUTURE = '2200-01-01T00:00:00Z';

async function refusalOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    if (error instanceof GatewayError) return `${error.status} ${error.code} ${error.path}`;
    throw error;
  }
  return 'none';
}

describe.each(await availableEngines())('one-off events on %s', (engine) => {
  let database: TestDatabase;
  let ofTest: SchedulesWorld | undefined;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await ofTest?.close();
    ofTest = undefined;
  });
  afterAll(() => database.drop());
  const openWorld = async () => {
    ofTest = await openSchedulesWorld(database);
    return ofTest;
  };
  /** A process whose metadata names the webhook's origin by a cron trigger. */
  const open = async (options?: ReplicaOptions) => {
    const world = await openWorld();
    return { world, replica: world.replica([trigger('never', '0 0 1 1 *')], options) };
  };

  test('call their webhook once, and are listed with what they were', async () => {
    const { world, replica } = await open({ environment: { OWN_KEY: 'key-1' }, moreVariables: ['OWN_KEY'] });
    replica.jobs.start();
    const scheduled = PAST();
    const args = {
      webhook: '{{HOOK_URL}}/once',
      schedule_at: scheduled,
      payload: { text: 'ü\u0000', n: 1 },
      headers: [{ name: 'x-key', value_from_env: 'OWN_KEY' }],
      comment: 'once',
    };
    const { message, event_id: id } = await create(replica, args);
    expect(message).toBe('success');
    await eventually(async () => (await listed(replica)).events[0]?.status === 'delivered');

    expect(world.bodies()).toEqual([
      {
        id,
        comment: 'once',
        payload: args.payload,
        scheduled_time: scheduled,
        created_at: expect.any(String),
      },
    ]);
    expect(world.hook.requests[0]).toMatchObject({ url: '/once', headers: { 'x-key': 'key-1', 'webhook-id': id } });
    expect(await listed(replica, { get_rows_count: true })).toEqual({
      count: 1,
      events: [
        {
          id,
          webhook_conf: '{{HOOK_URL}}/once',
          scheduled_time: scheduled,
          payload: args.payload,
          header_conf: args.headers,
          retry_conf: { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
          comment: 'once',
          status: 'delivered',
          tries: 1,
          created_at: expect.any(String),
          next_retry_at: null,
        },
      ],
    });
    const { invocations } = await command<{ invocations: readonly unknown[] }>(
      replica,
      'get_scheduled_event_invocations',
      { type: 'one_off', event_id: id },
    );
    expect(invocations).toMatchObject([{ event_id: id, status: 200, request: { payload: { id } } }]);
    expect(JSON.stringify(invocations)).not.toContain('key-1');
  });

  test('wait for their time, and are deleted before it', async () => {
    const { world, replica } = await open();
    replica.jobs.start();
    const { event_id: id } = await create(replica, { webhook: '{{HOOK_URL}}/later', schedule_at: FUTURE });
    expect((await listed(replica, { status: ['scheduled'] })).events).toMatchObject([{ id, status: 'scheduled' }]);
    expect(await command(replica, 'delete_scheduled_event', { type: 'one_off', event_id: id })).toEqual({
      message: 'success',
    });
    expect((await listed(replica)).events).toEqual([]);
    const again = command(replica, 'delete_scheduled_event', { type: 'one_off', event_id: id });
    expect(await refusalOf(again)).toBe('400 not-found $.args.event_id');
    expect(world.hook.requests).toEqual([]);
  });

  test('that are too old when they are accepted are not run, and marked', async () => {
    const { world, replica } = await open();
    replica.jobs.start();
    await create(replica, {
      webhook: '{{HOOK_URL}}/late',
      schedule_at: '2020-01-01T00:00:00Z',
      retry_conf: { tolerance_seconds: 60 },
    });
    await eventually(async () => (await listed(replica)).events[0]?.status === 'dead');
    expect((await listed(replica)).events).toMatchObject([{ tries: 0, next_retry_at: null }]);
    expect(world.hook.requests).toEqual([]);
  });

  test('are listed in pages, the newest first', async () => {
    const { replica } = await open();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push((await create(replica, { webhook: '{{HOOK_URL}}/n', schedule_at: FUTURE, payload: n })).event_id);
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => listed(replica, { limit: 2, offset, get_rows_count: true })),
    );
    expect(pages.flatMap(({ events }) => events.map(({ id }) => id))).toEqual([...ids].reverse());
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 5]);
  });

  test('reach only the origins that the metadata names, also after a reload', async () => {
    const { world, replica } = await open();
    for (const webhook of ['http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:1/', 'https://example.com/'])
      expect(await refusalOf(create(replica, { webhook, schedule_at: PAST() }))).toBe(
        '400 access-denied $.args.webhook',
      );

    await create(replica, { webhook: world.hook.url, schedule_at: PAST() });
    replica.reload([]);
    replica.jobs.start();
    await eventually(async () => (await listed(replica)).events[0]?.status === 'error');
    expect(world.hook.requests).toEqual([]);
  });

  test('send what the metadata sends to the origin, and nothing else of the environment', async () => {
    const world = await openWorld();
    const other = 'https://other.example.com';
    const replica = world.replica(
      [
        trigger('never', '0 0 1 1 *', { headers: [{ name: 'x-key', value_from_env: 'REPORT_KEY' }] }),
        trigger('other', '0 0 1 1 *', {
          webhook: '{{OTHER_URL}}/x',
          headers: [{ name: 'x-key', value: 'Bearer {{OTHER_KEY}}' }],
          webhook_signature: { secret_from_env: 'SIGNING_KEY' },
        }),
      ],
      { environment: { OTHER_URL: other, OTHER_KEY: 'key-2', SIGNING_KEY: 'a key of signatures, for that webhook' } },
    );
    const refusal = (webhook: string, value?: string) =>
      refusalOf(
        create(replica, { webhook, schedule_at: FUTURE, ...(value && { headers: [{ name: 'x-stolen', value }] }) }),
      );
    expect(await refusal('{{HOOK_URL}}/a', '{{REPORT_KEY}}')).toBe('none');
    expect(await refusal(`${other}/a`, '{{OTHER_KEY}}')).toBe('none');
    for (const name of ['OTHER_KEY', 'OTHER_URL', 'SIGNING_KEY', 'PATH', 'NOT_SET'])
      expect(await refusal('{{HOOK_URL}}/a', `{{${name}}}`)).toBe('400 validation-failed $.args.headers');
    for (const webhook of ['{{HOOK_URL}}/{{OTHER_KEY}}', '{{HOOK_URL}}/{{SIGNING_KEY}}', '{{HOOK_URL}}/?{{OTHER_URL}}'])
      expect(await refusal(webhook)).toBe('400 validation-failed $.args.webhook');
  });

  test('reach the origins of the setting too, or any where it says so', async () => {
    const { world, replica } = await open({ moreOrigins: ['https://hooks.example.com'] });
    const refusal = (webhook: string) => refusalOf(create(replica, { webhook, schedule_at: FUTURE }));
    expect(await refusal('https://hooks.example.com/x')).toBe('none');
    expect(await refusal('https://hooks.example.com:8443/x')).toBe('400 access-denied $.args.webhook');
    expect(await refusal('http://hooks.example.com/x')).toBe('400 access-denied $.args.webhook');
    const open_ = world.replica([], { moreOrigins: ['*'] });
    expect(await refusalOf(create(open_, { webhook: 'https://example.com/', schedule_at: FUTURE }))).toBe('none');
    await create(open_, { webhook: 'https://example.org/', schedule_at: FUTURE });
    // Names that anyone may choose are no labels of metrics.
    const gauge = () => open_.jobs.metrics().find(({ name }) => name === 'portico_jobs');
    const labels = { kind: 'scheduled-event', queue: 'other', state: 'scheduled' };
    await eventually(async () => gauge()?.samples.length !== 0);
    expect(gauge()?.samples).toEqual([{ labels, value: 3 }]);
    const long = `http://${'a'.repeat(400)}.example`;
    expect(await refusalOf(create(open_, { webhook: long, schedule_at: FUTURE }))).toBe(
      '400 validation-failed $.args.webhook',
    );
  });

  describe('in commands that are not valid', () => {
    let world: SchedulesWorld;
    let replica: Replica;
    beforeAll(async () => {
      world = await openSchedulesWorld(database);
      replica = world.replica([trigger('never', '0 0 1 1 *')]);
    });
    afterAll(() => world.close());

    test.each<[what: string, name: string, args: object, refusal: string]>([
      ['no webhook', 'create_scheduled_event', { schedule_at: FUTURE }, '400 parse-failed $.args.webhook'],
      ['no time', 'create_scheduled_event', { webhook: '{{HOOK_URL}}' }, '400 parse-failed $.args.schedule_at'],
      [
        'a time that is none',
        'create_scheduled_event',
        { webhook: '{{HOOK_URL}}', schedule_at: 'soon' },
        '400 parse-failed $.args.schedule_at',
      ],
      [
        'a day that is none',
        'create_scheduled_event',
        { webhook: '{{HOOK_URL}}', schedule_at: '2026-02-31T23:00:00Z' },
        '400 parse-failed $.args.schedule_at',
      ],
      [
        'an unknown key',
        'create_scheduled_event',
        { webhook: '{{HOOK_URL}}', schedule_at: FUTURE, when: 1 },
        '400 parse-failed $.args.when',
      ],
      [
        'a header with a line break',
        'create_scheduled_event',
        { webhook: '{{HOOK_URL}}', schedule_at: FUTURE, headers: [{ name: 'a\r\nb', value: '1' }] },
        '400 parse-failed $.args.headers.0.name',
      ],
      [
        'a variable that is not set',
        'create_scheduled_event',
        { webhook: '{{NOT_SET}}', schedule_at: FUTURE },
        '400 validation-failed $.args.webhook',
      ],
      [
        'a secret of the platform',
        'create_scheduled_event',
        { webhook: '{{HOOK_URL}}', schedule_at: FUTURE, headers: [{ name: 'x', value: '{{PORTICO_WEBHOOK_SECRET}}' }] },
        '400 validation-failed $.args.headers',
      ],
      [
        'another scheme',
        'create_scheduled_event',
        { webhook: 'file:///etc/passwd', schedule_at: FUTURE },
        '400 validation-failed $.args.webhook',
      ],
      [
        'an id that is none',
        'delete_scheduled_event',
        { type: 'one_off', event_id: "' OR true" },
        '400 parse-failed $.args.event_id',
      ],
      ['a type that is none', 'get_scheduled_events', { type: 'all' }, '400 parse-failed $.args.type'],
      ['a negative offset', 'get_scheduled_events', { type: 'one_off', offset: -1 }, '400 parse-failed $.args.offset'],
      ['a large page', 'get_scheduled_events', { type: 'one_off', limit: 1_001 }, '400 parse-failed $.args.limit'],
      ['no trigger', 'get_scheduled_events', { type: 'cron' }, '400 parse-failed $.args.trigger_name'],
      [
        'an unknown trigger',
        'get_scheduled_events',
        { type: 'cron', trigger_name: 'other' },
        '400 not-found $.args.trigger_name',
      ],
      ['a trigger to be created', 'create_cron_trigger', { name: 'new' }, '400 not-supported $.type'],
      ['a trigger to be deleted', 'delete_cron_trigger', { name: 'never' }, '400 not-supported $.type'],
    ])('are refused: %s', async (_, name, args, refusal) => {
      expect(await refusalOf(command(replica, name, args))).toBe(refusal);
    });
  });

  test('can be asked for beside the cron triggers of the files', async () => {
    const { replica } = await open();
    expect(await command(replica, 'get_cron_triggers', {})).toMatchObject({
      cron_triggers: [{ name: 'never', schedule: '0 0 1 1 *', time_zone: 'UTC', webhook: '{{HOOK_URL}}/cron' }],
    });
  });
});
