import { afterAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '../../database/index.ts';
import { type GraphqlBody, keeper, openGateway, openIssuer, until, webhook } from '../harness/index.ts';
import { wsClient } from '../subscriptions/clients.ts';
import { FREE, IS_PRO, PRO } from './shop.ts';

const { keep, close } = keeper();
const database = await createTestDatabase({ engine: 'pglite', migrated: false });
afterAll(async () => {
  await close();
  await database.drop();
});
const issuer = await keep(openIssuer());
const hook = await keep(webhook(() => ({ id: '7' })));
const gateway = await keep(
  openGateway({
    issuer,
    environment: { HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url },
    metadata: {
      'actions.graphql': 'type Mutation { convert: Converted } type Converted { id: ID }',
      'actions.yaml': {
        actions: [
          {
            name: 'convert',
            definition: { kind: 'asynchronous', handler: hook.url },
            permissions: [{ role: 'user', session_condition: IS_PRO }],
          },
        ],
      },
    },
  }),
);
const tokenOf = (hasura: object) => issuer.token({ role: 'user', roles: ['user'], hasura: { ...hasura } });
const ask = async (query: string, hasura: object) => (await gateway.graphql(query, { token: tokenOf(hasura) })).body;
const codesOf = ({ errors = [] }: GraphqlBody) => errors.map(({ extensions }) => extensions.code);

test('the condition of an asynchronous action applies to its start and to its result', async () => {
  expect(codesOf(await ask('mutation { convert }', FREE))).toEqual(['session-condition-failed']);
  const { data } = await ask('mutation { convert }', PRO);
  const result = `convert(id: "${String(data?.convert)}") { output { id } }`;
  await until('the job is done', async () => (await ask(`{ ${result} }`, PRO)).data?.convert !== null);
  expect(codesOf(await ask(`{ ${result} }`, FREE))).toEqual(['session-condition-failed']);
  const client = wsClient(gateway.url, { headers: { authorization: `Bearer ${tokenOf(FREE)}` } });
  expect(JSON.stringify(await client.subscribe(`subscription { ${result} }`).ended())).toContain(
    'session-condition-failed',
  );
  await client.close();
});
