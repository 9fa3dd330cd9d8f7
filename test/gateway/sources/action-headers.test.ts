import { afterAll, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { action, openActionWorld } from './action-world.ts';

const { keep, close } = keeper();
afterAll(close);
const headers = [
  { name: 'X-Fixed', value: 'one of {{REGION}}' },
  { name: 'X-Own', value: 'configured' },
  { name: 'X-Place', value: 'Żabia 7' },
  { name: 'User-Agent', value: 'configured/1' },
];
const world = await keep(
  openActionWorld({
    types: 'type Query { plain: Int configured: Int chosen: Int }',
    actions: [
      action('plain', { forward_client_headers: true }),
      action('configured', { forward_client_headers: true, headers }),
      action('chosen', { forward_client_headers: true, ignored_client_headers: ['X-Own'] }),
    ],
    environment: { REGION: 'eu' },
    answer: () => 1,
  }),
);

const CLIENT = {
  'user-agent': 'browser/1',
  origin: 'https://app.test',
  referer: 'https://app.test/page',
  'x-own': 'mine',
  'x-hasura-role': 'user',
  'x-request-id': 'request-1',
};

async function sent(field: string) {
  const { body } = await world.call(`{ ${field} }`, { headers: CLIENT });
  expect(body).toEqual({ data: { [field]: 1 } });
  return world.received().headers;
}

test('headers of the client come with those that say where it comes from, and without those about its own request', async () => {
  const got = await sent('plain');
  expect(got).toMatchObject({
    'x-own': 'mine',
    'x-forwarded-host': `127.0.0.1:${world.gateway.port}`,
    'x-forwarded-user-agent': 'browser/1',
    'x-forwarded-origin': 'https://app.test',
    'x-forwarded-for': '127.0.0.1',
    'x-request-id': 'request-1',
    'user-agent': 'portico',
    'content-type': 'application/json',
    host: `127.0.0.1:${world.hook.port}`,
  });
  for (const name of ['origin', 'referer', 'x-hasura-role']) expect(got).not.toHaveProperty(name);
});

test('configured headers win over ours, and ours over the client’s', async () => {
  expect(await sent('configured')).toMatchObject({
    'x-fixed': 'one of eu',
    'x-place': Buffer.from('Żabia 7').toString('latin1'),
    'x-own': 'configured',
    'user-agent': 'configured/1',
  });
});

test('a list of headers to leave out takes the place of the usual one', async () => {
  const got = await sent('chosen');
  expect(got).toMatchObject({ origin: 'https://app.test', 'user-agent': 'portico' });
  expect(got).not.toHaveProperty('x-own');
});
