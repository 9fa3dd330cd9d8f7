import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import WebSocket, { WebSocketServer } from 'ws';
import { createAssertions } from '../../gateway/access/assertions/index.ts';
import { createSession } from '../../gateway/access/session/index.ts';
import {
  bearer,
  endpoint,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  reply,
  serve,
  type TestGateway,
  until,
  webhook,
} from './harness/index.ts';

type Claims = Record<string, unknown>;
type Verify = (assertion: string | undefined) => Promise<Claims>;

// The verifier that the documentation shows, which shares no code with the gateway.
const example = '../../examples/service-assertions/verify.mjs';
const { createVerifier } = (await import(example)) as {
  createVerifier: (settings: { jwksUrl: string; issuer: string; audience: string }) => Verify;
};

const HEADER = 'x-portico-assertion';
const HASURA = 'https://hasura.io/jwt/claims';
const KEY = randomBytes(32).toString('base64');
const OTHER_KEY = randomBytes(32).toString('base64');
const SHOP = 'type Query { item: String } type Mutation { buy: String } type Subscription { sold: String }';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const shop = await keep(graphqlUpstream(SHOP, { Query: { item: () => 'bolt' }, Mutation: { buy: () => 'bought' } }));
const quiet = await keep(graphqlUpstream('type Query { silence: String }'));
const act = await keep(webhook(() => ({ id: '1' })));
const files = await keep(serve((_, response) => response.writeHead(200).end('a,b\n')));
const events = await keep(
  serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('event: next\ndata: {"data":{"sold":"bolt"}}\n\nevent: complete\ndata:\n\n');
  }),
);
const subgraph = await keep(
  serve(({ body }, response) => {
    const isSdl = JSON.stringify(body).includes('_service');
    const sdl = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3") type Query { parts: Int }';
    reply(response, 200, { data: isSdl ? { _service: { sdl } } : { parts: 3 } });
  }),
);

const metadata = {
  'remote_schemas.yaml': [
    { name: 'shop', definition: { url: shop.graphqlUrl, service_assertion: true } },
    {
      name: 'forwarding',
      definition: {
        url: shop.graphqlUrl,
        forward_client_headers: true,
        service_assertion: { audience: 'a name of its own' },
        headers: [{ name: 'X-Portico-Assertion', value: 'configured' }],
        customization: { field_names: [{ parent_type: 'Query', prefix: 'f_' }], root_fields_namespace: 'forwarding' },
      },
    },
    { name: 'quiet', definition: { url: quiet.graphqlUrl, forward_client_headers: true } },
    {
      name: 'events',
      definition: {
        url: shop.graphqlUrl,
        service_assertion: true,
        subscriptions: { protocol: 'sse', url: events.url },
        customization: { root_fields_namespace: 'events' },
      },
    },
    { name: 'parts', definition: { url: subgraph.url, composition: 'federation', service_assertion: true } },
  ],
  'actions.yaml': {
    actions: [
      { name: 'plain', definition: { handler: act.url, service_assertion: true }, permissions: [{ role: 'user' }] },
      {
        name: 'changed',
        definition: {
          handler: act.url,
          forward_client_headers: true,
          service_assertion: true,
          request_transform: {
            version: 2,
            request_headers: { remove_headers: [HEADER], add_headers: { [HEADER]: 'made up' } },
          },
        },
        permissions: [{ role: 'user' }],
      },
      {
        name: 'silent',
        definition: { handler: act.url, forward_client_headers: true },
        permissions: [{ role: 'user' }],
      },
    ],
    custom_types: { objects: [{ name: 'Done' }] },
  },
  'actions.graphql': 'type Mutation { plain: Done changed: Done silent: Done } type Done { id: ID! }',
  'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'item', query: '{ item }' }] } }],
  'rest_endpoints.yaml': [endpoint('item', 'item', ['GET'])],
  'services.yaml': [
    { name: 'files', path: '/files', url: files.url, service_assertion: true },
    // Its addresses are beside that of the gateway's keys.
    { name: 'well-known', path: '/.well-known', url: files.url },
    { name: 'open', path: '/open', url: files.url, forward_client_headers: true },
    {
      name: 'door',
      path: '/door',
      url: files.url,
      service_assertion: true,
      only_public_without_token: [{ path: '/door/in', methods: ['GET'] }],
    },
  ],
};

const gateway = await keep(openGateway({ issuer, metadata, environment: { PORTICO_ASSERTION_KEY: KEY } }));
const asks = [...shop.requests, ...subgraph.requests];
const jwksUrl = `${gateway.url}/.well-known/portico-jwks.json`;
const verifierFor = (audience: string, url = jwksUrl) => createVerifier({ jwksUrl: url, issuer: 'portico', audience });
const hostile = { [HEADER]: 'mine', X_Portico_Assertion: 'mine', 'x.portico.assertion': 'mine' };
const alice = issuer.token();

beforeEach(() => {
  for (const server of [shop, quiet, act, files, events, subgraph]) server.requests.length = 0;
});

const assertionIn = (requests: readonly Received[]) => requests.at(-1)?.headers[HEADER]?.toString();

async function ask(query: string, token = alice, headers: Record<string, string> = hostile) {
  const answer = await gateway.graphql(query, { token, headers });
  expect(answer.body.errors).toBeUndefined();
}

describe('a service that asks for assertions gets one that its own verifier accepts', () => {
  const caller = {
    sub: '7',
    [HASURA]: expect.objectContaining({ 'x-hasura-role': 'user', 'x-hasura-tenant-id': '1' }),
  };

  test.each<[string, string, string, readonly Received[]]>([
    ['a remote schema', '{ item }', 'shop', shop.requests],
    ['a mutation of a remote schema', 'mutation { buy }', 'shop', shop.requests],
    ['a renamed one with the client’s headers', '{ forwarding { f_item } }', 'a name of its own', shop.requests],
    ['a subgraph', '{ parts }', 'parts', subgraph.requests],
    ['an action', 'mutation { plain { id } }', 'plain', act.requests],
    ['an action whose request is transformed', 'mutation { changed { id } }', 'changed', act.requests],
  ])('%s', async (_what, query, audience, requests) => {
    await ask(query);
    const claims = await verifierFor(audience)(assertionIn(requests));
    expect(claims).toMatchObject({ iss: 'portico', aud: audience, ...caller });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(60);
    expect(claims.jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(requests.at(-1)?.headers)).not.toMatch(/mine|made up|configured/);
  });

  test('over REST', async () => {
    await gateway.send('/api/rest/item', { headers: { ...bearer(alice), ...hostile } });
    expect(await verifierFor('shop')(assertionIn(shop.requests))).toMatchObject(caller);
  });

  test('passed through, also to a public path, where it names no user', async () => {
    await gateway.send('/files/a.csv', { headers: { ...bearer(alice), ...hostile } });
    expect(await verifierFor('files')(assertionIn(files.requests))).toMatchObject(caller);
    expect(JSON.stringify(files.requests.at(-1)?.headers)).not.toContain('mine');

    await gateway.send('/door/in', { headers: { ...bearer(alice), ...hostile } });
    const claims = await verifierFor('door')(assertionIn(files.requests));
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti']);
  });

  test('with the handshake of a WebSocket that is passed through', async () => {
    const handshake = new Promise<string | undefined>((resolve) => {
      const sockets = new WebSocketServer({ noServer: true });
      files.server.once('upgrade', (request, socket, head) => {
        resolve(request.headers[HEADER]?.toString());
        sockets.handleUpgrade(request, socket, head, (accepted) => accepted.close());
      });
    });
    const client = new WebSocket(`${gateway.url.replace('http', 'ws')}/files/live`, {
      headers: { ...bearer(alice), ...hostile },
    });
    const closed = new Promise((resolve) => client.once('close', resolve));
    expect(await verifierFor('files')(await handshake)).toMatchObject(caller);
    await closed;
  });

  test('with a subscription over server-sent events', async () => {
    const headers = { ...bearer(alice), ...hostile, 'content-type': 'application/json', accept: 'text/event-stream' };
    const body = JSON.stringify({ query: 'subscription { events { sold } }' });
    await gateway.send('/v1/graphql', { method: 'POST', headers, body });
    expect(await verifierFor('events')(assertionIn(events.requests))).toMatchObject(caller);
  });

  test('when the gateway calls on its own behalf, naming no user', async () => {
    for (const [audience, sign, times] of [
      ['shop', 'IntrospectionQuery', 2],
      ['parts', '_service', 1],
    ] as const) {
      const question = asks.filter(({ text }) => text.includes(sign)).map(({ headers }) => headers[HEADER]?.toString());
      const accepted = await Promise.allSettled(question.map((one) => verifierFor(audience)(one)));
      const claims = accepted.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(claims.map((one) => Object.keys(one).sort())).toEqual(
        Array(times).fill(['aud', 'exp', 'iat', 'iss', 'jti']),
      );
    }
  });
});

describe('a service that does not ask for assertions', () => {
  test('gets none, and no header of a client that looks like one', async () => {
    await ask('{ silence }');
    await ask('mutation { silent { id } }');
    await gateway.send('/open/a.csv', { headers: { ...bearer(alice), ...hostile } });
    for (const { requests } of [quiet, act, files]) {
      expect(requests).toHaveLength(1);
      expect(Object.keys(requests[0]?.headers ?? {}).filter((name) => name.includes('assertion'))).toEqual([]);
    }
  });
});

describe('an assertion', () => {
  async function assertionFor(token: string): Promise<string> {
    await ask('{ item }', token);
    return assertionIn(shop.requests) ?? '';
  }

  test('is refused when it was changed, and says of whom it is', async () => {
    const assertion = await assertionFor(alice);
    const [head = '', body = '', signature = ''] = assertion.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = { ...claims, [HASURA]: { ...claims[HASURA], 'x-hasura-tenant-id': '2' } };
    for (const changed of [
      `${head}.${encoded(forged)}.${signature}`,
      `${encoded({ alg: 'none', typ: 'portico-assertion+jwt' })}.${encoded(forged)}.`,
      `${encoded({ alg: 'HS256', typ: 'portico-assertion+jwt' })}.${encoded(forged)}.${signature}`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${head}.${body}`,
      alice,
      '',
    ])
      await expect(verifierFor('shop')(changed)).rejects.toThrow();
    expect(await verifierFor('shop')(assertion)).toMatchObject({ sub: '7' });
  });

  test('that was sent to one service is refused by another', async () => {
    await expect(verifierFor('files')(await assertionFor(alice))).rejects.toThrow('for another service');
  });

  test('is no access token of the gateway', async () => {
    const { status } = await gateway.graphql('{ item }', { token: await assertionFor(alice) });
    expect(status).toBe(401);
  });

  test('is sent again for one caller, and never for another one', async () => {
    const people = [
      alice,
      issuer.token({ hasura: { 'x-hasura-tenant-id': '2' } }),
      issuer.token({ payload: { n: 1 } }),
    ];
    const first = await Promise.all(people.map((token) => assertionOf(token)));
    const again = await Promise.all(people.map((token) => assertionOf(token)));
    expect(again).toEqual(first);
    expect(new Set(first).size).toBe(people.length);
    const verify = verifierFor('files');
    const tenants = await Promise.all(first.map(async (one) => (await verify(one))[HASURA] as Record<string, string>));
    expect(tenants.map((claims) => claims['x-hasura-tenant-id'])).toEqual(['1', '2', '1']);
  });

  /** Requests at the same time are told apart by their paths. */
  async function assertionOf(token: string): Promise<string | undefined> {
    const path = `/${randomBytes(8).toString('hex')}`;
    await gateway.send(`/files${path}`, { headers: bearer(token) });
    return files.requests.find(({ url }) => url === path)?.headers[HEADER]?.toString();
  }
});

describe('the keys', () => {
  const keysOf = async (one: TestGateway) =>
    (await one.send<{ keys: { kid: string }[] }>('/.well-known/portico-jwks.json')).body.keys;
  const openWith = (environment: Record<string, string>) =>
    keep(
      openGateway({ issuer, metadata: { 'remote_schemas.yaml': [metadata['remote_schemas.yaml'][0]] }, environment }),
    );

  test('are published without a token, and the private part is not among them', async () => {
    const { status, headers, body } = await gateway.send<{ keys: object[] }>('/.well-known/portico-jwks.json');
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    expect(body.keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(gateway.logs()).not.toContain(KEY);
  });

  test('are the same at every replica that has the secret', async () => {
    expect(await keysOf(await openWith({ PORTICO_ASSERTION_KEY: KEY }))).toEqual(await keysOf(gateway));
  });

  test('are rotated without a moment in which an assertion is refused', async () => {
    const prepared = await openWith({ PORTICO_ASSERTION_KEY: KEY, PORTICO_ASSERTION_STANDBY_KEY: OTHER_KEY });
    const rotated = await openWith({ PORTICO_ASSERTION_KEY: OTHER_KEY, PORTICO_ASSERTION_STANDBY_KEY: KEY });
    const sets = await Promise.all([prepared, rotated].map(async (one) => (await keysOf(one)).map(({ kid }) => kid)));
    expect(sets[0]).toEqual(sets[1]?.toReversed());

    // Whoever has the keys of one accepts what both sign.
    const verify = verifierFor('shop', `${prepared.url}/.well-known/portico-jwks.json`);
    for (const one of [prepared, rotated]) {
      await one.graphql('{ item }', { token: alice });
      expect(await verify(assertionIn(shop.requests))).toMatchObject({ aud: 'shop' });
    }
    // Whoever has kept those of before the rotation fetches them again.
    const old = verifierFor('shop');
    await expect(old(assertionIn(shop.requests))).rejects.toThrow('unknown key');
  });

  test('are not there without the setting', async () => {
    const plain = await keep(openGateway({ issuer }));
    expect((await plain.send('/.well-known/portico-jwks.json')).status).toBe(404);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a remote schema', { 'remote_schemas.yaml': [metadata['remote_schemas.yaml'][0]] }],
    ['an action', { 'actions.yaml': metadata['actions.yaml'], 'actions.graphql': metadata['actions.graphql'] }],
    ['a service', { 'services.yaml': metadata['services.yaml'] }],
  ])('are missed by %s that asks for assertions: the gateway does not start', async (_what, files) => {
    await expect(openGateway({ issuer, metadata: files })).rejects.toThrow(
      /service_assertion requires the setting PORTICO_ASSERTION_KEY/,
    );
  });

  test.each([
    [
      'short',
      { PORTICO_ASSERTION_KEY: randomBytes(31).toString('base64') },
      /PORTICO_ASSERTION_KEY: expected at least 32/,
    ],
    ['no base64', { PORTICO_ASSERTION_KEY: `${KEY} !` }, /PORTICO_ASSERTION_KEY: expected at least 32/],
    ['on standby for none', { PORTICO_ASSERTION_STANDBY_KEY: KEY }, /PORTICO_ASSERTION_STANDBY_KEY: requires/],
  ])('that are %s are refused', async (_what, environment, reason) => {
    await expect(openGateway({ issuer, environment })).rejects.toThrow(reason);
  });
});

describe('by the clock, an assertion', () => {
  const session = createSession('user', { 'x-hasura-user-id': '7' });
  const claimsIn = (text: string) => JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());

  test('is sent for half of its lifetime, and not at all when the clock was set back', () => {
    let now = 1_800_000_000_000;
    const assertion = createAssertions({
      secret: Buffer.from(KEY, 'base64'),
      issuer: 'portico',
      now: () => now,
    }).forAudience('a');
    const first = assertion.forSession(session);
    now += 29_000;
    expect(assertion.forSession(session)).toBe(first);
    now += 1_000;
    const second = assertion.forSession(session);
    expect(second).not.toBe(first);
    expect(claimsIn(second).jti).not.toBe(claimsIn(first).jti);
    now -= 3_600_000;
    expect(claimsIn(assertion.forSession(session)).iat).toBe(now / 1000);
  });

  test('of the gateway itself is another one than that of a caller', () => {
    const assertion = createAssertions({ secret: Buffer.from(KEY, 'base64'), issuer: 'portico' }).forAudience('a');
    expect(claimsIn(assertion.forGateway())[HASURA]).toBeUndefined();
    expect(claimsIn(assertion.forSession(session))[HASURA]).toEqual(session.variables);
  });

  test('that has expired is refused', async () => {
    const secret = Buffer.from(KEY, 'base64');
    const signedAt = (now: number) =>
      createAssertions({ secret, issuer: 'portico', now: () => now })
        .forAudience('shop')
        .forSession(session);
    await expect(verifierFor('shop')(signedAt(Date.now() - 70_000))).rejects.toThrow('expired');
    await expect(verifierFor('shop')(signedAt(Date.now() + 30_000))).rejects.toThrow('not valid yet');
    expect(await verifierFor('shop')(signedAt(Date.now() - 50_000))).toMatchObject({ sub: '7' });
  });
});

test('the subscription of a remote schema over a WebSocket opens with an assertion', async () => {
  const upstream = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await until('it listens', () => upstream.address() !== null);
  const handshake = new Promise<string | undefined>((resolve) => {
    upstream.on('connection', (socket, request) => {
      resolve(request.headers[HEADER]?.toString());
      socket.close();
    });
  });
  const { port } = upstream.address() as { port: number };
  const definition = {
    url: shop.graphqlUrl,
    service_assertion: true,
    forward_client_headers: true,
    subscriptions: { url: `ws://127.0.0.1:${port}` },
  };
  const own = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition }] },
      environment: { PORTICO_ASSERTION_KEY: KEY },
    }),
  );
  const headers = { ...bearer(alice), ...hostile, 'content-type': 'application/json', accept: 'text/event-stream' };
  const body = JSON.stringify({ query: 'subscription { sold }' });
  await own.send('/v1/graphql', { method: 'POST', headers, body });
  expect(await verifierFor('shop')(await handshake)).toMatchObject({ sub: '7' });
  await new Promise((resolve) => upstream.close(resolve));
});
