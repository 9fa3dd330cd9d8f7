import { afterAll, describe, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer, serve } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const service = await keep(serve((_, response) => response.end('{}')));
const KEY = 'a'.repeat(64);

const SETTINGS = [
  'HASURA_GRAPHQL_JWT_SECRET',
  'HASURA_GRAPHQL_JWT_SECRETS',
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'HASURA_GRAPHQL_ACCESS_KEY',
  'HASURA_GRAPHQL_RATE_LIMIT_REDIS_URL',
  'PORTICO_REDIS_URL',
  'HASURA_GRAPHQL_METADATA_DATABASE_URL',
  'PORTICO_JOBS_DATABASE_PASSWORD',
  'PORTICO_ASSERTION_KEY',
  'PORTICO_ASSERTION_STANDBY_KEY',
  'PORTICO_REVOCATION_SECRET',
  'PORTICO_WEBHOOK_SECRET',
  'AUTH_KEY_ENCRYPTION_KEY',
  'AUTH_PASSWORD_PEPPER',
  'DATABASE_URL',
];

function open(metadata: Record<string, unknown>, environment: Record<string, string> = {}) {
  return keep(
    openGateway({
      issuer,
      metadata,
      environment: { PORTICO_ASSERTION_KEY: KEY, ...environment },
      waitUntilReady: false,
    }),
  );
}

const files = (more: object) => ({
  'services.yaml': [
    { name: 'files', path: '/files', ...('url_from_env' in more ? {} : { url: service.url }), ...more },
  ],
});
const remote = (definition: object) => ({ 'remote_schemas.yaml': [{ name: 'shop', definition }] });
const action = (definition: object) => ({
  'actions.yaml': {
    actions: [{ name: 'ask', definition: { kind: 'synchronous', handler: service.url, ...definition } }],
  },
  'actions.graphql': 'type Query { ask: Answer } type Answer { a: Int }',
});

describe('a secret of the platform', () => {
  test.each([
    ['the header of a service', files({ headers: [{ name: 'x-k', value_from_env: 'PORTICO_ASSERTION_KEY' }] })],
    ['the template of a header', files({ headers: [{ name: 'x-k', value: 't {{ PORTICO_ASSERTION_KEY }}' }] })],
    ['the URL of a service', files({ url: `${service.url}/{{PORTICO_ASSERTION_KEY}}` })],
    ['url_from_env', files({ url_from_env: 'PORTICO_ASSERTION_KEY' })],
    ['the URL of a remote schema', remote({ url: `${service.url}/{{PORTICO_ASSERTION_KEY}}` })],
    [
      'a header of a remote schema',
      remote({ url: service.url, headers: [{ name: 'x', value: '{{PORTICO_ASSERTION_KEY}}' }] }),
    ],
    ['the handler of an action', action({ handler: `${service.url}/{{PORTICO_ASSERTION_KEY}}` })],
    ['a header of an action', action({ headers: [{ name: 'x', value_from_env: 'PORTICO_ASSERTION_KEY' }] })],
    ['the signature of a webhook', action({ webhook_signature: { secret_from_env: 'PORTICO_ASSERTION_KEY' } })],
  ])('is refused where metadata names it in %s, with its place', async (_, metadata) => {
    const refusal = await open(metadata).then(
      () => 'accepted',
      (error: Error) => String(error),
    );
    expect(refusal).toMatch(/(services|remote_schemas|actions)\.yaml:\d+ /);
    expect(refusal).toContain('metadata cannot use the secrets of the platform itself: PORTICO_ASSERTION_KEY');
    expect(refusal).not.toContain(KEY);
  });

  test.each(SETTINGS.flatMap((name) => [name, `${name}_FILE`]))('is not to be had as %s, set or not', async (name) => {
    const metadata = files({ url: `${service.url}/{{${name}}}` });
    await expect(open(metadata)).rejects.toThrow(`the secrets of the platform itself: ${name}`);
  });

  test('is rejected in other letter cases too, which some systems take for the same variable', async () => {
    const metadata = files({ url: `${service.url}/{{Portico_Assertion_Key}}` });
    await expect(open(metadata, { Portico_Assertion_Key: KEY })).rejects.toThrow('Portico_Assertion_Key');
  });
});

test('settings that are no secrets may be named as in a Hasura project', async () => {
  const metadata = files({ url: `${service.url}/{{HASURA_GRAPHQL_UNAUTHORIZED_ROLE}}/{{HASURA_GRAPHQL_OF_MINE}}` });
  const gateway = await open(metadata, {
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anonymous',
    HASURA_GRAPHQL_OF_MINE: 'mine',
  });
  await gateway.ready();
  const token = issuer.token();
  expect((await gateway.send('/files/x', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect(service.requests.at(-1)?.url).toBe('/anonymous/mine/x');
});
