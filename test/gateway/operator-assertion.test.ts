import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { bearer, graphqlUpstream, keeper, openGateway, openIssuer, type ReceivedOperation } from './harness/index.ts';

const HEADER = 'x-portico-operator';
const ADMIN_SECRET = 'secret-of-the-admin';
const SHOWN = { 'x-hasura-admin-secret': ADMIN_SECRET };

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const SCHEMA = 'type Query { me: String who(name: String): String } type Mutation { change: String }';
const resolvers = { Query: { me: () => 'x', who: () => 'x' }, Mutation: { change: () => 'x' } };
const auth = await keep(graphqlUpstream(SCHEMA, resolvers));
const other = await keep(graphqlUpstream('type Query { item: String }', { Query: { item: () => 'x' } }));

const metadata = {
  'remote_schemas.yaml': [
    { name: 'auth', definition: { url: auth.graphqlUrl, forward_client_headers: true, service_assertion: true } },
    { name: 'other', definition: { url: other.graphqlUrl, forward_client_headers: true, service_assertion: true } },
  ],
};
const environment = {
  HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  PORTICO_ASSERTION_KEY: randomBytes(32).toString('base64'),
};
const gateway = await keep(
  openGateway({ issuer, metadata, environment: { ...environment, PORTICO_OPERATOR_SOURCE: 'auth' } }),
);
const off = await keep(openGateway({ issuer, metadata, environment }));

beforeEach(() => {
  auth.forget();
  other.forget();
});

const assertionIn = ({ headers }: ReceivedOperation) => headers[HEADER] as string | undefined;

describe('a caller with the admin secret', () => {
  test('has each of its requests to the auth service signed, for this very request', async () => {
    await gateway.graphql('{ me who(name: "a") }', { headers: SHOWN });
    await gateway.graphql('mutation { change }', { headers: SHOWN });
    const { body } = await gateway.send<{ keys: [{ kid: string }] }>('/.well-known/portico-jwks.json');
    const [key] = body.keys;
    const seen = auth.operations().map((operation) => {
      const { header, payload } = jwt.verify(
        assertionIn(operation) ?? '',
        createPublicKey({ key: { ...key }, format: 'jwk' }),
        { algorithms: ['ES256'], issuer: 'portico', audience: 'auth', complete: true },
      );
      const { iat = 0, exp = 0, ...claims } = payload as jwt.JwtPayload;
      expect(header).toEqual({ alg: 'ES256', typ: 'portico-operator+jwt', kid: key.kid });
      expect(exp - iat).toBe(30);
      const body_sha256 = createHash('sha256').update(operation.text).digest('base64url');
      expect(claims).toEqual({
        iss: 'portico',
        aud: 'auth',
        jti: expect.any(String),
        scope: 'platform:admin',
        body_sha256,
      });
      return claims.jti;
    });
    expect(new Set(seen).size).toBe(2);
  });

  test('has it at no other service, and for no other role', async () => {
    await gateway.graphql('{ item }', { headers: SHOWN });
    for (const role of ['user', 'tenant_admin', 'Admin'])
      await gateway.graphql('{ me }', { headers: { ...SHOWN, 'x-hasura-role': role } });
    expect([...other.operations(), ...auth.operations()].map(assertionIn)).toEqual(Array(4).fill(undefined));
  });

  test('has none where the setting is not made', async () => {
    await off.graphql('{ me }', { headers: SHOWN });
    expect(auth.operations().map(assertionIn)).toEqual([undefined]);
  });
});

describe('no other caller has one:', () => {
  test.each<[string, Record<string, string>]>([
    ['a user', bearer(issuer.token())],
    ['a user with the role admin', bearer(issuer.token({ role: 'admin', roles: ['admin'] }))],
    ['a user who sends the header', { ...bearer(issuer.token()), [HEADER]: 'forged' }],
    ['a user who sends it in another spelling', { ...bearer(issuer.token()), x_portico_operator: 'forged' }],
    [
      'an admin of a token who sends it',
      { ...bearer(issuer.token({ role: 'admin', roles: ['admin'] })), [HEADER]: 'x' },
    ],
  ])('%s', async (_, headers) => {
    await gateway.graphql('{ me }', { headers });
    await off.graphql('{ me }', { headers: { ...SHOWN, [HEADER]: 'forged' } });
    const seen = auth.operations();
    expect(seen).toHaveLength(2);
    expect(seen.map(({ headers: sent }) => Object.keys(sent).filter((name) => /portico.operator/.test(name)))).toEqual([
      [],
      [],
    ]);
  });

  test('with a wrong secret, or the secret where a token is expected', async () => {
    await gateway.graphql('{ me }', { headers: { 'x-hasura-admin-secret': 'wrong' } });
    await gateway.graphql('{ me }', { headers: bearer(ADMIN_SECRET) });
    expect(auth.operations()).toEqual([]);
  });
});

test('a gateway that is to sign, without a key, does not start', async () => {
  await expect(openGateway({ issuer, metadata: {}, environment: { PORTICO_OPERATOR_SOURCE: 'auth' } })).rejects.toThrow(
    'PORTICO_OPERATOR_SOURCE: requires PORTICO_ASSERTION_KEY',
  );
});

test('a gateway whose source is no remote schema says so', async () => {
  const unknown = await openGateway({
    issuer,
    metadata,
    environment: { ...environment, PORTICO_OPERATOR_SOURCE: 'auht' },
  });
  await unknown.close();
  const warnings = (logs: string) => logs.split('\n').filter((line) => line.includes('operator_source.unknown'));
  expect(warnings(unknown.logs()).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', source: 'auht' }),
  ]);
  expect([...warnings(gateway.logs()), ...warnings(off.logs())]).toEqual([]);
});
