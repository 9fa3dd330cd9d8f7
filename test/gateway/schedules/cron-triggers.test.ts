import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { eventually } from '../jobs/jobs-harness.ts';
import {
  minutesAgo,
  openSchedulesWorld,
  outage,
  type Replica,
  type SchedulesWorld,
  trigger,
  WEBHOOK_SECRET,
} from './schedules-world.ts';

interface Listed {
  readonly events: readonly { readonly status: string; readonly scheduled_time: string; readonly tries: number }[];
}

const ofTrigger = (name: string, more = {}) => ({ type: 'cron', trigger_name: name, ...more });
const command = <T>({ commands }: Replica, name: string, args: unknown) => commands.get(name)?.(args) as Promise<T>;
const eventsOf = async (replica: Replica, name: string) =>
  (await command<Listed>(replica, 'get_scheduled_events', ofTrigger(name))).events;
const statuses = async (replica: Replica, name: string) =>
  (await eventsOf(replica, name)).map(({ status }) => status).sort();

/** Whether the times of a trigger have been planned. */
const isPlanned = async ({ sql }: SchedulesWorld, name: string) =>
  (await sql('SELECT FROM portico_jobs.cron_plan WHERE name = $1', [name])).length === 1;

describe.each(await availableEngines())('cron triggers on %s', (engine) => {
  let database: TestDatabase;
  let world: SchedulesWorld | undefined;
  beforeAll(async () => {
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  afterAll(() => database.drop());
  const open = async () => {
    world = await openSchedulesWorld(database);
    return world;
  };
  /** A trigger that has been planned once, and then not for so many minutes. */
  const afterOutage = async (world: SchedulesWorld, one: ReturnType<typeof trigger>, minutes: number) => {
    const first = world.replica([one]);
    first.start();
    await eventually(() => isPlanned(world, one.name));
    await first.stop();
    await outage(world, one.name, minutes);
  };

  test('send Hasura’s payload, with headers and signatures, and the answer is logged', async () => {
    const world = await open();
    const one = trigger('report', minutesAgo(5), {
      comment: 'each day',
      headers: [
        { name: 'x-key', value_from_env: 'REPORT_KEY' },
        { name: 'webhook-id', value: 'forged' },
      ],
    });
    await afterOutage(world, one, 15);
    world.answerBy(() => ({ status: 201, body: { fine: 'ü\u0000' } }));
    const replica = world.replica([one], { webhookSecret: WEBHOOK_SECRET });
    replica.jobs.start();
    replica.start();
    await eventually(async () => (await statuses(replica, 'report')).includes('delivered'));

    const [received] = world.hook.requests;
    const [body] = world.bodies();
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'report',
      comment: 'each day',
      payload: { of: 'report' },
      scheduled_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/),
    });
    expect(received).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'portico',
        'x-key': 'key-1',
        'webhook-id': body?.id,
      },
    });
    const verifier = new Webhook(Buffer.from(WEBHOOK_SECRET).toString('base64'));
    expect(verifier.verify(received?.text ?? '', received?.headers as Record<string, string>)).toEqual(body);
    expect(received?.headers['x-portico-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const { invocations } = await command<{ invocations: unknown[] }>(
      replica,
      'get_scheduled_event_invocations',
      ofTrigger('report'),
    );
    expect(invocations[0]).toMatchObject({
      event_id: body?.id,
      status: 201,
      request: { payload: body, headers: one.headers },
      response: { type: 'webhook_response', data: { status: 201, body: '{"fine":"ü\\u0000"}' } },
    });
    expect(JSON.stringify(invocations)).not.toContain('key-1');
  });

  test('run each time once, over replicas whose clocks differ by seconds', async () => {
    const world = await open();
    const one = trigger('each', minutesAgo(...Array.from({ length: 12 }, (_, k) => 3 + 5 * k)));
    await afterOutage(world, one, 60);
    const replicas = [-5_000, 0, 5_000].map((clockSkewMs) => world.replica([one], { clockSkewMs }));
    for (const { jobs, start } of replicas) {
      jobs.start();
      start();
    }
    const [first] = replicas;
    await eventually(async () => {
      const listed = await statuses(first as Replica, 'each');
      return listed.filter((status) => status === 'delivered').length >= 12;
    });
    await Promise.all(replicas.map(({ stop }) => stop()));

    const times = world.bodies().map(({ scheduled_time }) => scheduled_time);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toHaveLength(12);
  });

  test('run after an outage what is within the tolerance, and mark the rest', async () => {
    const world = await open();
    const one = trigger('tolerant', minutesAgo(5, 15, 35, 45, 55), { retry_conf: { tolerance_seconds: 1_500 } });
    await afterOutage(world, one, 60);
    const replica = world.replica([one]);
    replica.jobs.start();
    replica.start();
    const ended = ['dead', 'dead', 'dead', 'delivered', 'delivered'];
    await eventually(async () => (await statuses(replica, 'tolerant')).join() === ended.join());
    const oldest = Date.now() - 1_200_000;
    for (const { scheduled_time } of world.bodies()) expect(Date.parse(scheduled_time)).toBeGreaterThan(oldest);
    for (const { status, tries } of await eventsOf(replica, 'tolerant')) expect(tries).toBe(status === 'dead' ? 0 : 1);
  });

  test('make up for a hundred times at most', async () => {
    const world = await open();
    const one = trigger('minutely', '* * * * *', { retry_conf: { tolerance_seconds: 2_592_000 } });
    await afterOutage(world, one, 60 * 24 * 20);
    const replica = world.replica([one]);
    replica.start();
    await eventually(async () => (await statuses(replica, 'minutely')).length >= 100);
    await replica.stop();
    // A few are ahead, and may have come meanwhile.
    expect((await statuses(replica, 'minutely')).length).toBeLessThanOrEqual(106);
  });

  test('have missed nothing where they are new, or have another schedule', async () => {
    const world = await open();
    const one = trigger('changing', '0 0 1 1 *');
    await afterOutage(world, one, 60);
    const replica = world.replica([trigger('changing', minutesAgo(5)), trigger('new', minutesAgo(5))]);
    replica.start();
    await eventually(() => isPlanned(world, 'new'));
    await replica.stop();
    const past = await world.sql(
      "SELECT FROM portico_jobs.live WHERE run_at < clock_timestamp() - interval '1 minute'",
    );
    expect(past).toEqual([]);
  });

  test('stop when they are removed, and have missed nothing when they come back', async () => {
    const world = await open();
    const one = trigger('gone', minutesAgo(5, 15));
    await afterOutage(world, one, 25);
    const planning = world.replica([one]);
    planning.start();
    await eventually(async () => (await statuses(planning, 'gone')).length >= 2);
    planning.reload([]);
    await eventually(async () => !(await isPlanned(world, 'gone')));
    // Times that had become jobs are not run: no process knows the trigger.
    planning.jobs.start();
    await eventually(async () => {
      const rows = await world.sql(
        "SELECT FROM portico_jobs.live WHERE run_at < clock_timestamp() - interval '1 minute'",
      );
      return rows.length === 0;
    });
    expect(world.hook.requests).toEqual([]);

    planning.reload([one]);
    await eventually(() => isPlanned(world, 'gone'));
    await planning.stop();
    expect(world.hook.requests).toEqual([]);
  });

  test('do not run a time that their schedule has no more', async () => {
    const world = await open();
    const one = trigger('moved', minutesAgo(5, 15));
    await afterOutage(world, one, 25);
    const planning = world.replica([one]);
    planning.start();
    await eventually(async () => (await statuses(planning, 'moved')).length >= 2);
    await planning.stop();
    const moved = world.replica([trigger('moved', '5 0 1 1 *')]);
    moved.jobs.start();
    await eventually(async () => (await statuses(moved, 'moved')).includes('dead'));
    expect(world.hook.requests).toEqual([]);
  });

  test('are tried again after a failure, with the same id, and each attempt is logged', async () => {
    const world = await open();
    const one = trigger('failing', minutesAgo(5), { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } });
    await afterOutage(world, one, 15);
    world.answerBy(() => ({ status: 503, headers: { 'retry-after': '0' } }));
    const replica = world.replica([one]);
    replica.jobs.start();
    replica.start();
    await eventually(async () => (await statuses(replica, 'failing')).includes('error'));
    await replica.stop();
    const ids = world.bodies().map(({ id }) => id);
    const [id] = ids;
    expect(ids.filter((other) => other === id)).toHaveLength(2);
    const { invocations, count } = await command<{ invocations: { status: number }[]; count: number }>(
      replica,
      'get_scheduled_event_invocations',
      { type: 'cron', event_id: id, get_rows_count: true, limit: 1 },
    );
    expect([count, invocations.length, invocations[0]?.status]).toEqual([2, 1, 503]);
  });

  test('send what a transform makes of the payload', async () => {
    const world = await open();
    const one = trigger('transformed', minutesAgo(5), {
      request_transform: {
        version: 2,
        method: 'PUT',
        url: '{{$base_url}}/{{$body.name}}',
        body: { action: 'transform', template: '{"at": {{$body.scheduled_time}}}' },
        request_headers: { add_headers: { 'x-portico-signature': 'forged', 'x-of': '{{$body.payload.of}}' } },
      },
    });
    await afterOutage(world, one, 15);
    const replica = world.replica([one]);
    replica.jobs.start();
    replica.start();
    await eventually(() => world.hook.requests.length > 0);
    await replica.stop();
    const [received] = world.hook.requests;
    expect(received).toMatchObject({ method: 'PUT', url: '/cron/transformed', headers: { 'x-of': 'transformed' } });
    expect(JSON.parse(received?.text ?? '')).toEqual({ at: expect.any(String) });
    expect(received?.headers['x-portico-signature']).toBeUndefined();
  });
});
