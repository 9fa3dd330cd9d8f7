import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GraphQLError } from 'graphql';
import { createTestDatabase } from '../../database/index.ts';
import { bearer, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { jobsOn } from '../jobs/jobs-harness.ts';
import { action, CHECKOUT, openShop, run, shopMetadata } from './shop.ts';

const SDL = /* GraphQL */ `
  type Mutation {
    order(item: ID!): Order
  }
  type Order {
    id: ID
    paid: Int
    user: String
  }
`;
const EVENTS_SECRET = 'a-secret-of-the-service-of-events-1';

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const shop = await keep(openShop());
const database = await createTestDatabase({ engine: 'pglite', migrated: false });
const { response: _, ...work } = CHECKOUT;

async function ownDatabase() {
  const own = await createTestDatabase({ engine: 'pglite', migrated: false });
  return { url: own.url, close: () => own.drop() };
}
const METADATA = {
  ...shopMetadata(SDL, [
    action(
      'order',
      {
        ...CHECKOUT,
        steps: CHECKOUT.steps.filter((one) => !('when' in one)),
        response:
          '{ "id": {{$steps.reserved.id}}, "paid": {{$steps.charged.amount}}, "user": {{$session_variables["x-hasura-user-id"]}} }',
      },
      {
        kind: 'asynchronous',
        job: { max_attempts: 3 },
      },
    ),
  ]),
  'cron_triggers.yaml': [
    {
      name: 'nightly',
      schedule: '* * * * *',
      payload: { item: '9' },
      include_in_metadata: true,
      retry_conf: { num_retries: 1, retry_interval_seconds: 0 },
      handler: {
        ...run('Reserve', { variables: '{ "item": {{$body.payload.item}} }' }),
        role: 'clerk',
        session_variables: { 'x-hasura-user-id': 'cron', 'x-hasura-tenant-id': 5 },
      },
    },
  ],
  'deliveries.yaml': {
    producers: [
      { name: 'events', secret_from_env: 'EVENTS_SECRET', sources: ['/orders'], types: ['paid'], all_tenants: true },
    ],
    subscriptions: [
      {
        name: 'paid',
        types: ['paid'],
        all_tenants: true,
        retry_conf: { num_retries: 2, retry_interval_seconds: 0 },
        handler: {
          ...work,
          steps: work.steps
            .map((one) =>
              'name' in one && one.name === 'item' ? { ...one, variables: '{ "id": {{$body.data.item}} }' } : one,
            )
            .filter((one) => !('when' in one)),
          session_variables: { 'x-hasura-user-id': 'events' },
        },
      },
    ],
  },
};
const environment = {
  SHOP_URL: shop.graphqlUrl,
  EVENTS_SECRET,
  HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
};
const open = (more = {}) => openGateway({ issuer, metadata: METADATA, environment: { ...environment, ...more } });
const gateway = await keep(open());
afterAll(async () => {
  await close();
  await database.drop();
});
const token = issuer.token();
const of = (tenant: string) => (line: string) => line.endsWith(`of tenant ${tenant}`);

beforeEach(() => {
  shop.done.length = 0;
  shop.before = undefined;
  shop.forget();
});

async function order(at = gateway, item = '7'): Promise<string> {
  const { body } = await at.graphql(`mutation { id: order(item: "${item}") }`, { token });
  expect(body.errors).toBeUndefined();
  return String(body.data?.id);
}

async function result(id: string, at = gateway) {
  return until('the action has been run', async () => {
    const query = '($id: uuid!) { order(id: $id) { errors output { id paid user } } }';
    const { body } = await at.graphql(`query ${query}`, { token, variables: { id } });
    const found = body.data?.order as { errors: unknown; output: unknown } | null;
    return found !== null && (found.errors !== null || found.output !== null) && found;
  });
}

const keysOfCharges = () =>
  shop
    .operations()
    .filter(({ body }) => body.query.includes('charge'))
    .map(({ body }) => body.variables?.key);

describe('an asynchronous action', () => {
  test('runs its chain as a job, and keeps its output', async () => {
    const id = await order();
    expect(await result(id)).toEqual({ errors: null, output: { id: 'r-7', paid: 12, user: '7' } });
    expect(keysOfCharges()).toEqual([id]);
    expect(shop.done.some(of('1'))).toBe(true);
  });

  test('keeps an error and the outcome of compensations in its record', async () => {
    shop.before = (field) => {
      if (field === 'charge') throw new GraphQLError('no money', { extensions: { code: 'MONEY' } });
    };
    const id = await order();
    const errors = { path: '$', error: 'no money', code: 'MONEY', compensation: 'done' };
    expect(await result(id)).toEqual({ errors, output: null });
    expect(shop.done.filter(of('1'))).toEqual(['reserve 7 of tenant 1', 'release r-7 of tenant 1']);
    expect(await result(await order(gateway, 'none'))).toMatchObject({ errors: { code: 'no-item' } });
  });

  test('begins again with the same key if a service fails for a while', async () => {
    let failures = 1;
    shop.before = (field) => {
      if (field !== 'charge' || failures-- <= 0) return;
      throw new GraphQLError('try later', { extensions: { code: 'service-unavailable' } });
    };
    const id = await order();
    expect((await result(id)).output).toMatchObject({ id: 'r-7' });
    expect(shop.done.filter(of('1'))).toEqual([
      'reserve 7 of tenant 1',
      'release r-7 of tenant 1',
      'reserve 7 of tenant 1',
      'charge 12 of tenant 1',
    ]);
    expect(keysOfCharges()).toEqual([id, id]);
  });

  test('is dead if a compensation failed, and is not run again', async () => {
    shop.before = (field) => {
      if (field === 'charge') throw new GraphQLError('try later', { extensions: { code: 'service-unavailable' } });
      if (field === 'release') throw new GraphQLError('no', { extensions: { code: 'NO' } });
    };
    const id = await order();
    expect((await result(id)).errors).toMatchObject({ code: 'service-unavailable', compensation: 'failed' });
    const [job] = await jobsOn(database).sql('SELECT reason FROM portico_jobs.dead WHERE id = $1', [id]);
    expect(job).toMatchObject({ reason: 'compensation-failed' });
    expect(shop.done.filter(of('1'))).toEqual(['reserve 7 of tenant 1']);
  });

  test('is run again from its first step if its process ends in the middle, and is not undone', async () => {
    const own = await keep(ownDatabase());
    const first = await open({ HASURA_GRAPHQL_METADATA_DATABASE_URL: own.url });
    let isHeld = true;
    let ended: Promise<void> | undefined;
    shop.before = async (field) => {
      if (field !== 'charge' || !isHeld) return;
      isHeld = false;
      // The process waits for running jobs for a second, and then gives them back.
      ended = first.close();
      await ended;
    };
    const id = await order(first);
    await until('the process ends', () => ended !== undefined);
    await ended;
    const second = await keep(open({ HASURA_GRAPHQL_METADATA_DATABASE_URL: own.url }));
    expect((await result(id, second)).output).toMatchObject({ id: 'r-7' });
    expect(keysOfCharges()).toEqual([id, id]);
    expect(shop.done.filter((line) => line.startsWith('reserve'))).toHaveLength(2);
    expect(shop.done.filter((line) => line.startsWith('release'))).toEqual([]);
  });
});

describe('work without a caller', () => {
  test('a cron trigger runs as the role and with the session variables of the metadata', async () => {
    const jobs = jobsOn(database);
    const queue = jobs.open({ mode: 'accept' });
    const time = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    await queue.enqueue({ kind: 'cron', queue: 'nightly', idempotencyKey: time, maxAttempts: 3, payload: null });
    await until('the trigger has run', () => shop.done.length > 0);
    expect(shop.done[0]).toBe('reserve 9 of tenant 5');
    const [reserved] = shop.operations();
    expect(reserved?.headers).toMatchObject({ 'x-hasura-role': 'clerk', 'x-hasura-user-id': 'cron' });
    const logged = await until('the attempt is logged', async () => {
      const [one] = await jobs.sql("SELECT status, response FROM portico_jobs.invocation WHERE kind = 'cron'");
      return one;
    });
    expect(logged).toMatchObject({ status: 200 });
    expect(JSON.parse(String(logged.response))).toEqual({
      type: 'operation_handler',
      version: '1',
      data: { outcome: 'done' },
    });
    await queue.stop(0);
  });

  const post = (event: object) =>
    gateway.send('/v1/events', {
      method: 'POST',
      headers: { ...bearer(EVENTS_SECRET), 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify({ specversion: '1.0', source: '/orders', type: 'paid', ...event }),
    });

  test('an event runs for its tenant, whatever its data say', async () => {
    const data = {
      item: '7',
      tenantid: '9',
      'x-hasura-tenant-id': '9',
      session_variables: { 'x-hasura-role': 'admin' },
    };
    expect(await post({ id: 'e-1', tenantid: '3', data })).toMatchObject({ status: 202, body: { deliveries: 1 } });
    await until('the event has been handled', () => shop.done.filter(of('3')).length === 2);
    expect(shop.done.filter(of('3'))).toEqual(['reserve 7 of tenant 3', 'charge 12 of tenant 3']);
    expect(shop.operations().at(-1)?.headers).toMatchObject({ 'x-hasura-role': 'clerk', 'x-hasura-user-id': 'events' });
  });

  test('an event whose handler fails is undone and handled again', async () => {
    let failures = 1;
    shop.before = (field) => {
      if (field === 'charge' && failures-- > 0) throw new GraphQLError('no', { extensions: { code: 'NO' } });
    };
    expect(await post({ id: 'e-2', tenantid: '4', data: { item: '7' } })).toMatchObject({ status: 202 });
    await until('the event has been handled', () =>
      shop.done.filter(of('4')).some((line) => line.startsWith('charge')),
    );
    expect(shop.done.filter(of('4'))).toEqual([
      'reserve 7 of tenant 4',
      'release r-7 of tenant 4',
      'reserve 7 of tenant 4',
      'charge 12 of tenant 4',
    ]);
  });
});
