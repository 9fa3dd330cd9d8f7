import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { availableEngines, createTestDatabase, type TestDatabase } from '../../database/index.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import {
  bearer,
  freePort,
  type Issuer,
  keeper,
  openIssuer,
  type Received,
  reply,
  send,
  type TestServer,
  webhook,
} from '../harness/index.ts';
import { eventually, jobsOn } from '../jobs/jobs-harness.ts';

const ORDERS_SECRET = 'a-secret-of-the-service-of-orders-1';
const BILLING_SECRET = 'a-secret-of-the-service-of-billing-1';
const HOOK_SECRET = 'a secret of one webhook, known to that one';
const NEXT_SECRET = 'another secret of that webhook, for later on';

const environment = { ORDERS_SECRET, BILLING_SECRET, HOOK_SECRET, NEXT_SECRET };

const DELIVERIES = {
  producers: [
    {
      name: 'orders',
      secret_from_env: 'ORDERS_SECRET',
      sources: ['/orders', '/orders/*'],
      types: ['com.example.order.*'],
      tenants: [1, '2'],
    },
    {
      name: 'billing',
      secret_from_env: 'BILLING_SECRET',
      sources: ['/billing'],
      types: ['com.example.order.paid', 'com.example.bill.created'],
      all_tenants: true,
    },
  ],
  subscriptions: [
    {
      name: 'of-one',
      types: ['com.example.order.created'],
      tenants: ['1'],
      webhook: '{{HOOK_URL}}/one',
      secret_from_env: 'HOOK_SECRET',
    },
    {
      name: 'of-two',
      types: ['com.example.order.*'],
      tenants: ['2'],
      webhook: '{{HOOK_URL}}/two',
      order_key: 'subject',
      retry_conf: { retry_interval_seconds: 0 },
      secret_from_env: 'NEXT_SECRET',
      previous_secret_from_env: 'HOOK_SECRET',
      headers: [{ name: 'x-own', value: 'fixed' }],
    },
  ],
};

const EVENT = {
  specversion: '1.0',
  id: 'a-1',
  source: '/orders/7',
  type: 'com.example.order.created',
  tenantid: '1',
  data: { total: 12 },
};

interface World {
  readonly metricsUrl: string;
  readonly gateway: EditedGateway;
  readonly hook: TestServer;
  answer: (received: Received) => number;
  /** Posts an event in structured mode. */
  post(event: unknown, secret?: string): ReturnType<EditedGateway['post']>;
  /** What the webhook got at a path. */
  received(path: string): readonly Received[];
  edit(deliveries: unknown): Promise<void>;
  close(): Promise<void>;
}

describe.each(await availableEngines())('deliveries on %s', (engine) => {
  const { keep, close: closeAll } = keeper();
  let issuer: Issuer;
  let database: TestDatabase;
  const opened: World[] = [];
  const closeOpened = () => Promise.all(opened.splice(0).map((world) => world.close()));
  beforeAll(async () => {
    issuer = await keep(openIssuer());
    database = await createTestDatabase({ engine, migrated: false });
  });
  afterEach(closeOpened);
  afterAll(async () => {
    await closeAll();
    await database.drop();
  });

  async function open(deliveries: unknown = DELIVERIES, more: Readonly<Record<string, string>> = {}): Promise<World> {
    const hook = await webhook((received, response) => {
      reply(response, world.answer(received), {});
    });
    const metricsPort = await freePort();
    const gateway = await openEditedGateway(
      { 'deliveries.yaml': deliveries },
      {
        issuer,
        environment: {
          ...environment,
          HOOK_URL: hook.url,
          HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
          PORTICO_METRICS_PORT: String(metricsPort),
          ...more,
        },
      },
    );
    const world: World = {
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      gateway,
      hook,
      answer: () => 200,
      post: (event, secret = ORDERS_SECRET) =>
        gateway.send('/v1/events', {
          method: 'POST',
          headers: { ...bearer(secret), 'content-type': 'application/cloudevents+json' },
          body: typeof event === 'string' ? event : JSON.stringify(event),
        }),
      received: (path) => hook.requests.filter(({ url }) => url === path),
      edit: async (changed) => {
        expect((await gateway.edit({ 'deliveries.yaml': changed })).status).toBe(200);
      },
      close: async () => {
        await gateway.close();
        await hook.close();
        // The next test may have the database.
        await jobsOn(database).close();
      },
    };
    return world;
  }
  const openOwn = async (deliveries?: unknown, more?: Readonly<Record<string, string>>) => {
    const world = await open(deliveries, more);
    opened.push(world);
    return world;
  };

  test('an event is accepted, and delivered signed to the webhooks that ask for its type and tenant', async () => {
    const { gateway, post, received, metricsUrl } = await openOwn();
    expect(await post(EVENT)).toMatchObject({ status: 202, body: { deliveries: 1 } });
    expect(await post({ ...EVENT, id: 'a-2', tenantid: 2, subject: 'x' })).toMatchObject({ status: 202 });
    expect(await post({ ...EVENT, type: 'com.example.order.shipped' })).toMatchObject({ body: { deliveries: 0 } });
    await eventually(() => received('/one').length === 1 && received('/two').length === 1);

    const [one] = received('/one');
    expect(one).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
      body: EVENT,
    });
    const verify = (secret: string, { text, headers }: Received) =>
      new Webhook(Buffer.from(secret).toString('base64')).verify(text, headers as Record<string, string>);
    expect(verify(HOOK_SECRET, one as Received)).toEqual(EVENT);
    expect(() => verify(NEXT_SECRET, one as Received)).toThrow();

    const [two] = received('/two');
    expect(two?.body).toEqual({ ...EVENT, id: 'a-2', tenantid: '2', subject: 'x' });
    expect(two?.headers['x-own']).toBe('fixed');
    // Both secrets verify while they are changed.
    for (const secret of [HOOK_SECRET, NEXT_SECRET]) expect(() => verify(secret, two as Received)).not.toThrow();

    const log = async () => (await gateway.command('get_delivery_invocations', { subscription: 'of-one' })).body;
    await eventually(async () => ((await log()) as { invocations: readonly unknown[] }).invocations.length === 1);
    expect(await log()).toMatchObject({
      invocations: [
        {
          delivery_id: one?.headers['webhook-id'],
          status: 200,
          request: { event: { id: 'a-1', source: '/orders/7', type: EVENT.type, tenantid: '1' } },
        },
      ],
    });
    expect(JSON.stringify(await log())).not.toContain('total');
    expect(await gateway.command('get_delivery_invocations', { limit: -1 })).toMatchObject({
      status: 400,
      body: { code: 'parse-failed', path: '$.args.limit' },
    });
    const metrics = await send(metricsUrl);
    expect(metrics.text).toMatch(/portico_upstream_circuit\{service="of-one",kind="subscription"\} 0/);
  });

  test('an event in binary mode is delivered with its data as they were', async () => {
    const { gateway, received } = await openOwn();
    const { status } = await gateway.send('/v1/events', {
      method: 'POST',
      headers: {
        ...bearer(ORDERS_SECRET),
        'content-type': 'application/json',
        'ce-specversion': '1.0',
        'ce-id': 'b-1',
        'ce-source': '/orders',
        'ce-type': 'com.example.order.created',
        'ce-tenantid': '1',
        'ce-subject': 'gr%C3%BCn',
      },
      body: '{"big": 9007199254740993.10}',
    });
    expect(status).toBe(202);
    await eventually(() => received('/one').length === 1);
    expect(received('/one')[0]?.text).toContain('"data":{"big": 9007199254740993.10}');
    expect(received('/one')[0]?.body).toMatchObject({ subject: 'grün', datacontenttype: 'application/json' });
  });

  test('an event that is posted twice is delivered once, and another producer or tenant cannot stand in for it', async () => {
    const everything = {
      ...DELIVERIES,
      producers: [
        { ...DELIVERIES.producers[0], all_tenants: true, tenants: undefined },
        { ...DELIVERIES.producers[1], sources: ['*'], types: ['*'] },
      ],
      subscriptions: [{ ...DELIVERIES.subscriptions[0], types: ['*'], tenants: undefined, all_tenants: true }],
    };
    const { post, received } = await openOwn(everything);
    // Somebody else's event of the same id and source comes first.
    await post(EVENT, BILLING_SECRET);
    await post({ ...EVENT, tenantid: '3' });
    const answers = await Promise.all([1, 2, 3].map(() => post(EVENT)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await post({ ...EVENT, id: 'last' });
    await eventually(() => received('/one').some(({ body }) => (body as { id: string }).id === 'last'));
    await eventually(() => received('/one').length >= 4);
    const tenants = received('/one').map(({ body }) => (body as { tenantid: string }).tenantid);
    expect(tenants.sort()).toEqual(['1', '1', '1', '3']);
  });

  // Eighty megabytes are too many for the embedded database in a test.
  const onServer = engine === 'postgres' ? test : test.skip;

  onServer('the largest event is accepted whole, however many webhooks get it', async () => {
    const subscriptions = Array.from({ length: 300 }, (_, index) => ({
      ...structuredClone(DELIVERIES.subscriptions[0]),
      name: `taker-${index}`,
    }));
    const { post } = await openOwn({ ...DELIVERIES, subscriptions }, { PORTICO_JOBS: 'accept' });
    const event = { ...EVENT, data: 'x'.repeat(262_144 - JSON.stringify({ ...EVENT, data: '' }).length) };
    const accepted = { status: 202, body: { deliveries: 300 } };
    expect(await post(event)).toMatchObject(accepted);
    expect(await post(event)).toMatchObject(accepted);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query(
        'SELECT count(*)::int AS jobs, count(DISTINCT queue)::int AS queues, count(DISTINCT payload)::int AS payloads FROM portico_jobs.live',
      );
      expect(rows).toEqual([{ jobs: 300, queues: 300, payloads: 1 }]);
    } finally {
      await client.end();
    }
  });

  test('events of a key are delivered in their order, also when one has to be tried again', async () => {
    const world = await openOwn();
    let failures = 0;
    world.answer = ({ body }) => ((body as { id: string }).id === 'x-0' && failures++ === 0 ? 500 : 200);
    const event = (id: string, subject: string) => ({ ...EVENT, id, subject, tenantid: '2' });
    for (const n of [0, 1, 2]) await world.post(event(`x-${n}`, 'x'));
    await world.post(event('y-0', 'y'));
    // The one that has to wait is tried again now.
    await eventually(() => world.received('/two').length >= 4 + 1);
    const ids = world.received('/two').map(({ body }) => (body as { id: string }).id);
    expect(ids.filter((id) => id.startsWith('x'))).toEqual(['x-0', 'x-0', 'x-1', 'x-2']);
    const [first, again] = world.received('/two').filter(({ body }) => (body as { id: string }).id === 'x-0');
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  describe('is refused, and nothing of it is delivered:', () => {
    let shared: World;
    beforeAll(async () => {
      shared = await open();
    });
    afterAll(() => shared.close());
    const refused = async (event: unknown, secret?: string) => {
      const { post, received } = shared;
      const { status, body, text } = await post(event, secret);
      expect(received('/one').length + received('/two').length).toBe(0);
      expect(text).not.toMatch(/secret-of-the-service|evil/);
      return `${status} ${(body as { code: string }).code} ${(body as { path: string }).path}`;
    };

    test.each<[what: string, event: unknown, secret: string | undefined, refusal: string]>([
      ['another secret', EVENT, 'a-secret-that-is-no-producer-s-at-all', '401 access-denied $'],
      ['the secret of a webhook', EVENT, HOOK_SECRET, '401 access-denied $'],
      ['a part of the secret', EVENT, ORDERS_SECRET.slice(0, -1), '401 access-denied $'],
      ['a tenant that is not the producer’s', { ...EVENT, tenantid: '3' }, undefined, '403 access-denied $.tenantid'],
      ['a tenant with a space', { ...EVENT, tenantid: '1 ' }, undefined, '403 access-denied $.tenantid'],
      ['a tenant as a boolean', { ...EVENT, tenantid: true }, undefined, '403 access-denied $.tenantid'],
      ['an empty tenant', { ...EVENT, tenantid: '' }, undefined, '400 validation-failed $.tenantid'],
      [
        'no tenant where there are several',
        { ...EVENT, tenantid: undefined },
        undefined,
        '400 validation-failed $.tenantid',
      ],
      ['a tenant twice', JSON.stringify(EVENT).replace('{', '{"tenantid":"2",'), undefined, '400 bad-request $'],
      ['another’s source', { ...EVENT, source: '/billing' }, undefined, '403 access-denied $.source'],
      ['a source that begins alike', { ...EVENT, source: '/ordersevil' }, undefined, '403 access-denied $.source'],
      ['a source that leads out', { ...EVENT, source: '/orders/../billing' }, undefined, '403 access-denied $.source'],
      ['the same, encoded', { ...EVENT, source: '/orders/%2e%2E%2fbilling' }, undefined, '403 access-denied $.source'],
      ['another’s type', { ...EVENT, type: 'com.example.bill.created' }, undefined, '403 access-denied $.type'],
      [
        'a long tenant',
        { ...EVENT, source: '/billing', type: 'com.example.order.paid', tenantid: 'x'.repeat(256) },
        BILLING_SECRET,
        '400 validation-failed $.tenantid',
      ],
      ['a header in an attribute', { ...EVENT, id: 'a\r\nx-evil: 1' }, undefined, '400 validation-failed $.id'],
      ['a large body', { ...EVENT, data: 'x'.repeat(300_000) }, undefined, '413 payload-too-large $'],
      ['no event', 'evil', undefined, '400 invalid-json $'],
    ])('%s', async (_, event, secret, refusal) => {
      expect(await refused(event, secret)).toBe(refusal);
    });

    test('no credential, a token of a user, the admin secret, and methods other than POST', async () => {
      const { gateway } = shared;
      const token = issuer.token({ role: 'admin', roles: ['admin'] });
      const headers = { 'content-type': 'application/cloudevents+json' };
      for (const credential of [{}, bearer(token), { 'x-hasura-admin-secret': 'correct-horse-battery-staple' }]) {
        const answer = await gateway.send('/v1/events', {
          method: 'POST',
          headers: { ...headers, ...credential },
          body: JSON.stringify(EVENT),
        });
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toContain('Bearer realm="portico-events"');
      }
      expect((await gateway.send('/v1/events', { headers: bearer(ORDERS_SECRET) })).status).toBe(405);
      expect((await gateway.send('/v1/events/', { method: 'POST', headers: bearer(ORDERS_SECRET) })).status).toBe(404);
    });

    test('a body that expands like a bomb', async () => {
      const { gateway, received } = shared;
      const answer = await gateway.send('/v1/events', {
        method: 'POST',
        headers: {
          ...bearer(ORDERS_SECRET),
          'content-type': 'application/cloudevents+json',
          'content-encoding': 'gzip',
        },
        body: gzipSync(JSON.stringify({ ...EVENT, data: ' '.repeat(10_000_000) })),
      });
      expect(answer.status).toBe(413);
      expect(received('/one')).toEqual([]);
    });
  });

  test('a subscription that loses a tenant gets none of its events any more', async () => {
    const world = await openOwn();
    world.answer = () => 503;
    await world.post(EVENT);
    await eventually(() => world.received('/one').length === 1);
    const [one, two] = DELIVERIES.subscriptions;
    await world.edit({ ...DELIVERIES, subscriptions: [{ ...one, tenants: ['9'] }, two] });
    world.answer = () => 200;
    // An event of another tenant goes through meanwhile.
    await world.post({ ...EVENT, id: 'a-3', tenantid: '2', subject: 'z' });
    await eventually(() => world.received('/two').length === 1);
    expect(world.received('/one')).toHaveLength(1);
    expect(await world.post({ ...EVENT, id: 'a-4' })).toMatchObject({ status: 202, body: { deliveries: 0 } });
  });

  test('a database that is away refuses events with Retry-After: what is accepted is committed', async () => {
    const gateway = await keep(
      openEditedGateway(
        { 'deliveries.yaml': DELIVERIES },
        {
          issuer,
          environment: {
            ...environment,
            HOOK_URL: 'http://127.0.0.1:1',
            HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
          },
        },
      ),
    );
    const answer = await gateway.send('/v1/events', {
      method: 'POST',
      headers: { ...bearer(ORDERS_SECRET), 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify(EVENT),
    });
    expect(answer).toMatchObject({ status: 503, body: { code: 'service-unavailable' } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});
