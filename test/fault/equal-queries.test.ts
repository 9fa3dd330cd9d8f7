import { afterAll, expect, test } from '@jest/globals';
import { keeper, openIssuer, reply, until } from '../gateway/harness/index.ts';
import { openFaultPlatform } from './platform.ts';

const { keep, close } = keeper();
afterAll(close);

test('equal queries of one user are sent once, those of another user and mutations are not shared', async () => {
  const issuer = await keep(openIssuer());
  const { ill, gateway } = await keep(openFaultPlatform({ deduplicate: 'in-flight' }, { issuer }));
  const owed: (() => void)[] = [];
  ill.fail(({ headers }, response) => {
    const data = { ill: `for ${headers['x-hasura-user-id']}` };
    owed.push(() => reply(response, 200, { data }));
  });
  const alice = issuer.token({ hasura: { 'x-hasura-user-id': 'alice' } });
  const bob = issuer.token({ hasura: { 'x-hasura-user-id': 'bob' } });
  const query = (token: string) => gateway.graphql('{ ill }', { token });
  const first = [query(alice), query(alice), query(bob), query(alice)];
  await until('both are asked for', () => owed.length === 2);
  const leaving = new AbortController();
  const left = fetch(`${gateway.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bob}` },
    body: JSON.stringify({ query: '{ ill }' }),
    signal: leaving.signal,
  }).catch(() => undefined);
  leaving.abort();
  await left;
  const mutations = [1, 2].map(() => gateway.graphql('mutation { ill_change }', { token: alice }));
  await until('each mutation is sent', () => owed.length === 4);
  expect(ill.asked()).toBe(4);
  for (const answer of owed) answer();
  const answers = await Promise.all(first);
  expect(answers.map(({ body }) => body.data?.ill)).toEqual(['for alice', 'for alice', 'for bob', 'for alice']);
  await Promise.all(mutations);
});

test('by default, too, equal queries that wait together are never answered for another tenant', async () => {
  const issuer = await keep(openIssuer());
  const resilience = { retries: { limit: 0 }, concurrency: { max_in_flight: 2 } };
  const { ill, gateway } = await keep(openFaultPlatform(resilience, { issuer }));
  ill.fail(({ headers }, response) => {
    const data = { ill: `for ${headers['x-hasura-user-id']} of ${headers['x-hasura-tenant-id']}` };
    setImmediate(() => reply(response, 200, { data }));
  });
  const tokenOf = (tenant: string) =>
    issuer.token({ hasura: { 'x-hasura-user-id': '7', 'x-hasura-tenant-id': tenant } });
  const batch = (token: string) =>
    fetch(`${gateway.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(new Array(10).fill({ query: '{ ill }' })),
    }).then((response) => response.json());
  const tenants = ['1', '2', '3', '1', '2'];
  const answers = await Promise.all(tenants.map((tenant) => batch(tokenOf(tenant))));
  expect(answers).toEqual(tenants.map((tenant) => new Array(10).fill({ data: { ill: `for 7 of ${tenant}` } })));
});
