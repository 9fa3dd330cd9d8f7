import { afterAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { bearer, keeper, makeKey, openIssuer, reply, signToken, webhook } from '../harness/index.ts';
import { eventually, jobsOn } from '../jobs/jobs-harness.ts';

interface List<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}
interface Deliveries {
  readonly subscriptions: List<{ readonly name: string; readonly dead: number; readonly queued: number }>;
  readonly producers: List<{ readonly name: string }>;
}

const TYPE = 'portico_get_event_subscriptions';
/** What is of people or secret, and of no interest to operators. */
const HIDDEN = /of-a-person|SECRET|secret|127\.0\.0\.1/;
/** What those who may not look must not see. */
const SHOWN = /billing|orders|com\.example|subscriptions|producers/;

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
const jobs = jobsOn(database);
const hook = await keep(webhook((_, response) => reply(response, 500, { message: 'of-a-person' })));
const ORDERS_SECRET = 'of-a-person-the-service-of-orders-1';
const environment = {
  ORDERS_SECRET,
  BILLING_SECRET: 'of-a-person-the-webhook-of-billing-1',
  HOOK_URL: hook.url,
  PORTICO_INSIGHT_ROLES: 'watcher',
  HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
};
const BILLING = {
  name: 'billing',
  comment: '<img src=x onerror=alert(1)>',
  types: ['com.example.order.paid'],
  tenants: [1, 2],
  webhook: '{{HOOK_URL}}/billing?key=of-a-person',
  headers: [{ name: 'x-key', value: 'header-of-a-person' }],
  secret_from_env: 'BILLING_SECRET',
  order_key: 'subject',
  retry_conf: { num_retries: 0 },
};
const MANY = Array.from({ length: 60 }, (_, at) => `tenant-${at}`);
const DELIVERIES = {
  producers: [
    {
      name: 'orders',
      secret_from_env: 'ORDERS_SECRET',
      sources: ['/orders', '/orders/*'],
      types: ['*'],
      tenants: MANY,
    },
  ],
  subscriptions: [BILLING, { ...BILLING, name: 'constructor', comment: null, order_key: 'none', tenants: MANY }],
};
const gateway = await keep(openEditedGateway({ 'deliveries.yaml': DELIVERIES }, { issuer, environment }));
afterAll(async () => {
  await close();
  await jobs.close();
  await database.drop();
});

/** Runs the command as an administrator. */
async function list(): Promise<Deliveries> {
  const { status, text, body } = await gateway.command<Deliveries>(TYPE);
  expect([status, status === 200 || text]).toEqual([200, true]);
  expect(text).not.toMatch(HIDDEN);
  return body;
}
const send = (headers: Record<string, string>, args: object = {}) =>
  gateway.post<Record<string, unknown>>('/v1/metadata', { type: TYPE, args }, headers);
const NO_JOBS = { queued: 0, running: 0, scheduled: 0, waiting: 0, dead: 0, oldest_queued_seconds: null, pauses: [] };

describe('event subscriptions', () => {
  test('are those of the metadata, with who posts what, and bounded', async () => {
    const tenants = { items: MANY.slice(0, 50), omitted: 10 };
    expect(await list()).toEqual({
      subscriptions: {
        items: [
          {
            name: 'billing',
            comment: BILLING.comment,
            types: { items: BILLING.types, omitted: 0 },
            tenants: { items: ['1', '2'], omitted: 0 },
            order_key: 'subject',
            ...NO_JOBS,
          },
          {
            name: 'constructor',
            comment: null,
            types: { items: BILLING.types, omitted: 0 },
            tenants,
            order_key: null,
            ...NO_JOBS,
          },
        ],
        omitted: 0,
      },
      producers: {
        items: [
          {
            name: 'orders',
            comment: null,
            types: { items: ['*'], omitted: 0 },
            sources: { items: ['/orders', '/orders/*'], omitted: 0 },
            tenants,
          },
        ],
        omitted: 0,
      },
      may_operate: true,
    });
  });

  test('have the jobs of their own queue, of deliveries alone', async () => {
    const enqueueing = jobs.open({ mode: 'accept' });
    const work = { maxAttempts: 1, payload: null, idempotencyKey: 'other-kind', runAt: Date.now() + 3_600_000 };
    await enqueueing.enqueue({ ...work, kind: 'cron', queue: 'billing' });
    const event = {
      specversion: '1.0',
      id: '1',
      source: '/orders',
      type: 'com.example.order.paid',
      tenantid: 'tenant-1',
      subject: 'of-a-person',
      data: 'of-a-person',
    };
    const { status } = await gateway.send('/v1/events', {
      method: 'POST',
      headers: { ...bearer(ORDERS_SECRET), 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify(event),
    });
    expect(status).toBe(202);
    // The webhook fails, and a delivery has one attempt.
    await eventually(async () => {
      await gateway.command('portico_get_job_queues', { max_age_ms: 0 });
      return (await list()).subscriptions.items[1]?.dead === 1;
    });
    expect((await list()).subscriptions.items[0]).toMatchObject(NO_JOBS);
  });

  test('follow a reload of the metadata', async () => {
    const more = Array.from({ length: 510 }, (_, at) => ({ ...structuredClone(BILLING), name: `more-${at}` }));
    const { status, text } = await gateway.edit({ 'deliveries.yaml': { subscriptions: more } });
    expect([status, status === 200 || text]).toEqual([200, true]);
    const { subscriptions, producers } = await list();
    expect([subscriptions.items.length, subscriptions.omitted, producers.items]).toEqual([500, 10, []]);
    await gateway.edit({ 'deliveries.yaml': DELIVERIES });
    expect((await list()).subscriptions.items.map(({ name }) => name)).toEqual(['billing', 'constructor']);
  });
});

describe('event subscriptions are kept from', () => {
  const withScope = (scope: unknown, role = 'user') =>
    bearer(issuer.token({ role, roles: [role], payload: { scope } }));

  test.each<[string, () => Record<string, string>]>([
    ['callers without a token', () => ({})],
    ['users', () => bearer(issuer.token({}))],
    ['administrators of a tenant', () => bearer(issuer.token({ role: 'tenant_admin', roles: ['tenant_admin'] }))],
    ['a producer of events', () => bearer(ORDERS_SECRET)],
    ['a role that a header names', () => ({ ...bearer(issuer.token({})), 'x-hasura-role': 'watcher' })],
    ['a wrong admin secret', () => ({ 'x-hasura-admin-secret': 'of-a-person' })],
    ['a scope that only begins as the right', () => withScope('platform:administer')],
    ['a key of another issuer', () => bearer(signToken({ role: 'admin', roles: ['admin'] }, makeKey('key-1')))],
  ])('%s', async (_, headers) => {
    for (const args of [{}, { limit: 1 }]) {
      const { status, text } = await send(headers(), args);
      expect([401, 403]).toContain(status);
      expect(text).not.toMatch(SHOWN);
    }
  });

  test('a bulk', async () => {
    expect(await gateway.command('bulk', [{ type: TYPE, args: {} }])).toMatchObject({
      body: { code: 'not-supported' },
    });
  });
});

test('event subscriptions are shown to roles that may look, and to operators, who may act', async () => {
  const watcher = await send(bearer(issuer.token({ role: 'watcher', roles: ['watcher'] })));
  expect([watcher.status, watcher.body.may_operate, HIDDEN.test(watcher.text)]).toEqual([200, false, false]);
  const operator = bearer(issuer.token({ role: 'user', roles: ['user'], payload: { scope: 'platform:admin' } }));
  expect((await send(operator)).body.may_operate).toBe(true);
});

test.each([{ limit: 1 }, ['billing'], { name: '__proto__' }])('%j are no arguments', async (args) => {
  const { status, body } = await gateway.command(TYPE, args as object);
  expect([status, body.code]).toEqual([400, 'parse-failed']);
});

test('without a database for jobs, event subscriptions are refused', async () => {
  const without = await openEditedGateway({}, { issuer, environment: { HOOK_URL: hook.url } });
  try {
    expect(await without.command(TYPE)).toMatchObject({ status: 400, body: { code: 'not-supported' } });
  } finally {
    await without.close();
  }
});
