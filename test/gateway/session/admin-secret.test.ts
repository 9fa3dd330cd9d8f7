import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, GOOD_LOGIN, type GraphqlBody, keeper, LOGIN, openPlatform } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const SECRET = 'the-admin-secret';
const platform = await keep(
  openPlatform({
    environment: { HASURA_GRAPHQL_ADMIN_SECRET: SECRET, PORTICO_TRUSTED_PROXIES: '1' },
    metadata: {
      'services.yaml': [
        { name: 'files', path: '/files', url: '{{FILES_URL}}/stored', permissions: [{ role: 'auditor' }] },
        { name: 'open files', path: '/open-files', url: '{{FILES_URL}}', forward_client_headers: true },
      ],
    },
  }),
);
const { gateway, issuer, accounts, orders, cancel, files } = platform;
beforeEach(() => platform.forget());

const ADMIN = { 'x-hasura-admin-secret': SECRET };
/** Too many wrong secrets from one address are refused unread. */
let addresses = 0;
const fromElsewhere = () => {
  addresses += 1;
  return { 'x-forwarded-for': `10.4.0.${addresses}` };
};

const WRONG = {
  status: 401,
  code: 'access-denied',
  message: 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"',
};

function refusalOf({ status, body }: { status: number; body: unknown }) {
  const { errors, code, error } = body as GraphqlBody;
  const [first] = errors ?? [];
  return { status, code: first?.extensions.code ?? code, message: first?.message ?? error };
}

const variablesOf = (headers: Record<string, unknown> | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.startsWith('x-hasura-')));

const doors: Record<string, (headers: Record<string, string>) => Promise<{ status: number; body: unknown }>> = {
  'the GraphQL endpoint': (headers) => gateway.graphql('{ orders { id } }', { headers }),
  'a login': (headers) => gateway.graphql(LOGIN, { headers, variables: GOOD_LOGIN }),
  'a REST endpoint': (headers) => gateway.send('/api/rest/orders', { headers }),
  'a pass-through route': (headers) => gateway.send('/files/a.csv', { headers }),
  'the metadata API': (headers) => gateway.post('/v1/metadata', { type: 'export_metadata' }, headers),
};

describe.each(Object.entries(doors))('%s', (_, knock) => {
  test('lets the holder of the admin secret in', async () => {
    expect((await knock(ADMIN)).status).toBe(200);
  });

  test('takes the secret under its old name too', async () => {
    expect((await knock({ 'X-Hasura-Access-Key': SECRET })).status).toBe(200);
  });

  test.each([
    ['another one', 'the-admin-secrets'],
    ['nothing', ''],
    ['in another case', SECRET.toUpperCase()],
    ['with something after it', `${SECRET} x`],
    ['cut short', SECRET.slice(0, -1)],
    ['sent twice', `${SECRET}, ${SECRET}`],
  ])('refuses a wrong secret: %s', async (__, secret) => {
    expect(refusalOf(await knock({ ...fromElsewhere(), 'x-hasura-admin-secret': secret }))).toEqual(WRONG);
    expect(platform.asked()).toBe(0);
  });

  test('refuses a wrong secret whatever token comes with it', async () => {
    expect(
      refusalOf(await knock({ ...fromElsewhere(), ...bearer(issuer.token()), 'x-hasura-admin-secret': 'wrong' })),
    ).toEqual(WRONG);
  });

  test('looks at no token beside the right secret', async () => {
    expect((await knock({ ...ADMIN, ...bearer('opaque') })).status).toBe(200);
  });
});

test('the admin sees what no permission grants', async () => {
  const { body } = await gateway.graphql('{ account_count orders { id } }', { headers: ADMIN });
  expect(body).toEqual({ data: { account_count: 2, orders: [{ id: '1' }, { id: '2' }] } });
  expect(variablesOf(orders.operations()[0]?.headers)).toEqual({ 'x-hasura-role': 'admin' });
});

test('the admin may take any role, and then sees what that role sees', async () => {
  const headers = { ...ADMIN, 'x-hasura-role': 'anonymous' };
  const { body } = await gateway.graphql('{ account_count }', { headers });
  expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
});

test('a login of the admin runs as the admin, or as the role that it names', async () => {
  await gateway.graphql(LOGIN, { headers: ADMIN, variables: GOOD_LOGIN });
  await gateway.graphql(LOGIN, { headers: { ...ADMIN, 'x-hasura-role': 'user' }, variables: GOOD_LOGIN });
  const [asAdmin, asUser] = accounts.operations();
  expect(variablesOf(asAdmin?.headers)).toEqual({ 'x-hasura-role': 'admin' });
  expect(variablesOf(asUser?.headers)).toEqual({ 'x-hasura-role': 'user' });
});

describe('the session variables that the admin names', () => {
  const named = { 'X-Hasura-Role': 'user', 'x-hasura-tenant-id': '2', 'X-HASURA-USER-ID': '8' };
  const expected = { 'x-hasura-role': 'user', 'x-hasura-tenant-id': '2', 'x-hasura-user-id': '8' };

  test('reach a remote schema, the secret does not', async () => {
    const { body } = await gateway.graphql('{ orders { tenant } }', { headers: { ...ADMIN, ...named } });
    expect(body).toEqual({ data: { orders: [{ tenant: '2' }, { tenant: '2' }] } });
    expect(variablesOf(orders.operations()[0]?.headers)).toEqual(expected);
  });

  test('reach an action’s webhook, the secret does not', async () => {
    const { body } = await gateway.graphql('mutation { cancelOrder(id: 1) { id } }', {
      headers: { ...ADMIN, ...named },
    });
    expect(body).toEqual({ data: { cancelOrder: { id: '1' } } });
    const [request] = cancel.requests;
    expect((request?.body as Record<string, unknown> | undefined)?.session_variables).toEqual(expected);
    expect(variablesOf(request?.headers)).toEqual({});
  });

  test('reach a plain HTTP service, the secret does not, even where client headers are forwarded', async () => {
    const headers = { ...ADMIN, 'x-hasura-access-key': 'other', ...named };
    expect((await gateway.send('/open-files/a.csv', { headers })).status).toBe(200);
    expect(variablesOf(files.requests[0]?.headers)).toEqual(expected);
  });
});

test('a secret and variables may hold any letters', async () => {
  const { gateway: other, files } = await keep(
    openPlatform({ environment: { HASURA_GRAPHQL_ADMIN_SECRET: 'schlüssel' } }),
  );
  // A header's text travels as its UTF-8 bytes, which node takes as Latin-1 letters.
  const inUtf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  const headers = { 'x-hasura-admin-secret': inUtf8('schlüssel'), 'x-hasura-user-id': inUtf8('zoë') };
  expect((await other.send('/files/a.csv', { headers })).status).toBe(200);
  expect(files.requests[0]?.headers).toMatchObject({ 'x-hasura-user-id': inUtf8('zoë') });
});

test('a role that is not the admin’s gets no further than its permissions', async () => {
  const as = (role: string) => gateway.send('/files/a.csv', { headers: { ...ADMIN, 'x-hasura-role': role } });
  expect((await as('auditor')).status).toBe(200);
  expect(refusalOf(await as('user'))).toMatchObject({ status: 403, code: 'access-denied' });
});

test('a broken document is not explained to the holder of a wrong secret', async () => {
  const { status, body } = await gateway.graphql('{', { headers: { 'x-hasura-admin-secret': 'wrong' } });
  expect(refusalOf({ status, body })).toEqual(WRONG);
});

test('neither the secret nor a guess of it is in the logs', async () => {
  await gateway.graphql('{ orders { id } }', { headers: { 'x-hasura-admin-secret': 'a-wrong-guess' } });
  await gateway.graphql('{ orders { id } }', { headers: ADMIN });
  expect(gateway.logs()).toContain('"status":401');
  expect(gateway.logs()).not.toContain('the-admin-secret');
  expect(gateway.logs()).not.toContain('a-wrong-guess');
});

describe('where there is no admin secret', () => {
  test.each(['', 'undefined', 'null', 'admin'])('the header has no effect: "%s"', async (secret) => {
    const { gateway: without, issuer, orders } = await keep(openPlatform());
    const ask = (headers: Record<string, string>) =>
      without.graphql('{ orders { id } }', { headers: { 'x-hasura-admin-secret': secret, ...headers } });
    expect(refusalOf(await ask({}))).toMatchObject({ status: 401, code: 'invalid-headers' });
    expect(refusalOf(await ask({ ...bearer(issuer.token()), 'x-hasura-role': 'admin' }))).toMatchObject({
      status: 403,
    });
    expect((await ask({ ...bearer(issuer.token()), 'x-hasura-tenant-id': '2' })).status).toBe(200);
    expect(orders.operations().map(({ headers }) => variablesOf(headers))).toEqual([
      { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-hasura-tenant-id': '1' },
    ]);
  });
});

describe('with an admin secret and nothing else', () => {
  test('only its holder gets in, and anybody to the authentication operations', async () => {
    const { gateway: adminOnly } = await keep(
      openPlatform({ environment: { HASURA_GRAPHQL_ACCESS_KEY: 'key', HASURA_GRAPHQL_JWT_SECRET: undefined } }),
    );
    const orders = (headers: Record<string, string>) => adminOnly.graphql('{ orders { id } }', { headers });
    expect((await orders({ 'x-hasura-admin-secret': 'key' })).body).toEqual({
      data: { orders: [{ id: '1' }, { id: '2' }] },
    });
    const required = {
      status: 401,
      code: 'access-denied',
      message: 'x-hasura-admin-secret/x-hasura-access-key required, but not found',
    };
    expect(refusalOf(await orders({}))).toEqual(required);
    expect(refusalOf(await orders(bearer(issuer.token())))).toEqual(required);
    expect((await adminOnly.graphql(LOGIN, { variables: GOOD_LOGIN })).status).toBe(200);
  });
});
