import { afterAll, expect, test } from '@jest/globals';
import { keeper, openIssuer, reply, until } from '../gateway/harness/index.ts';
import { openFaultPlatform } from './platform.ts';

const { keep, close } = keeper();
afterAll(close);

test('equal queries of one user are sent once, those of another user and mutations are not shared', async () => {
  const issuer = await keep(openIssuer());
  const { ill, gateway } = await keep(openFaultPlatform({ deduplicate: true }, { issuer }));
  const owed: (() => void)[] = [];
  ill.fail(({ headers }, response) => {
    const data = { ill: `for ${headers['x-hasura-user-id']}` };
    owed.push(() => reply(response, 200, { data }, { 'set-cookie': 'seen=1' }));
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
  expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual(new Array(4).fill(['seen=1']));
  await Promise.all(mutations);
});
