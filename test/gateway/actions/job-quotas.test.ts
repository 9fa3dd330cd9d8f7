import { afterAll, expect, test } from '@jest/globals';
import { createTestDatabase, preferredEngine } from '../../database/index.ts';
import { bearer, endpoint, keeper, openGateway, openIssuer, until, webhook } from '../harness/index.ts';

const { keep, close } = keeper();
const issuer = await keep(openIssuer());
const database = await createTestDatabase({ engine: preferredEngine(), migrated: false });
afterAll(async () => {
  await close();
  await database.drop();
});
const hook = await keep(webhook(() => ({ id: '7' })));

const METADATA = {
  'actions.graphql': 'type Mutation { make: Made } type Made { id: ID }',
  'actions.yaml': {
    actions: [
      {
        name: 'make',
        definition: { kind: 'asynchronous', handler: '{{HOOK_URL}}/make' },
        permissions: [{ role: 'user' }],
      },
    ],
    custom_types: { objects: [{ name: 'Made' }] },
  },
  'query_collections.yaml': [
    { name: 'saved', definition: { queries: [{ name: 'make', query: 'mutation { make }' }] } },
  ],
  'rest_endpoints.yaml': [endpoint('make', 'make', ['POST'])],
};

const open = (environment: Record<string, string>) =>
  openGateway({
    issuer,
    metadata: METADATA,
    environment: { HOOK_URL: hook.url, HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url, ...environment },
  });

const tokenOf = (tenant: string, user: string) =>
  issuer.token({ hasura: { 'x-hasura-tenant-id': tenant, 'x-hasura-user-id': user } });

test('a user with too many jobs that have not ended gets an error with Retry-After, over GraphQL and REST; other users do not', async () => {
  const limits = { PORTICO_JOBS_MAX_PER_USER: '2', PORTICO_JOBS_MAX_PER_TENANT: '3' };
  const gateway = await keep(open({ ...limits, PORTICO_JOBS: 'accept' }));
  const make = async (token: string) => {
    const { body, headers } = await gateway.graphql('mutation { id: make }', { token });
    return { id: body.data?.id, error: body.errors?.[0], retryAfter: headers['retry-after'] };
  };
  const [ann, bob] = [tokenOf('1', 'ann'), tokenOf('1', 'bob')];

  const accepted = [await make(ann), await make(ann)];
  for (const { id } of accepted) expect(id).toEqual(expect.any(String));
  expect(await make(ann)).toMatchObject({
    error: {
      message: 'this user has too many unfinished jobs',
      extensions: { code: 'job-limit-exceeded', service: 'make', retry_after: 10 },
    },
    retryAfter: '10',
  });
  const rest = await gateway.post('/api/rest/make', {}, bearer(ann));
  expect([rest.status, rest.headers['retry-after'], rest.body]).toMatchObject([
    429,
    '10',
    { code: 'job-limit-exceeded' },
  ]);

  expect((await make(bob)).id).toEqual(expect.any(String));
  expect((await make(bob)).error?.message).toBe('this tenant has too many unfinished jobs');
  expect((await make(tokenOf('2', 'ann'))).id).toEqual(expect.any(String));
  const admin = issuer.token({ role: 'admin', roles: ['admin'], hasura: { 'x-hasura-tenant-id': '1' } });
  expect((await make(admin)).id).toEqual(expect.any(String));
  // How often callers ask for it is no fault of the database.
  expect(gateway.logs()).not.toContain('jobs.accept_failed');

  const runner = await open({ ...limits, PORTICO_JOBS: 'run' });
  await until('the jobs have been run', () => hook.requests.length >= 5);
  await until('there is room again', async () => (await make(ann)).id);
  await runner.close();
});
