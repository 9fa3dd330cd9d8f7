import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { bearer, keeper, openGateway, openIssuer, until } from '../harness/index.ts';
import { graphqlUpstream } from '../harness/upstream.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const service = await keep(graphqlUpstream('type Query { hello: String } type Mutation { change: String }', {}));
const gateway = await keep(
  openGateway({
    issuer,
    metadata: { 'remote_schemas.yaml': [{ name: 'hello', definition: { url: service.graphqlUrl } }] },
  }),
);
beforeEach(() => service.forget());

const SENTENCE =
  'the single connection mode of graphql-sse is not supported: create its client without "singleConnection" (distinct connections mode), or use a WebSocket';
const TOKEN = { 'x-graphql-event-stream-token': 'a-secret-token' };
const json = { 'content-type': 'application/json' };
const change = JSON.stringify({ query: 'mutation { change }', extensions: { operationId: '1' } });

test.each([
  ['reserves a stream', 'PUT', '/v1/graphql', {}, undefined, 405],
  ['reserves a stream at the old address', 'PUT', '/v1alpha1/graphql', {}, undefined, 405],
  ['opens the stream', 'GET', '/v1/graphql', { ...TOKEN, accept: 'text/event-stream' }, undefined, 400],
  [
    'opens it as an EventSource',
    'GET',
    '/v1/graphql?token=a-secret-token',
    { accept: 'text/event-stream' },
    undefined,
    400,
  ],
  ['sends an operation', 'POST', '/v1/graphql', { ...TOKEN, ...json }, change, 400],
  ['ends an operation', 'DELETE', '/v1/graphql?operationId=1', TOKEN, undefined, 405],
])('a client that %s gets an error that names the supported mode', async (_, method, path, headers, body, status) => {
  const answer = await gateway.send(path, {
    method,
    headers: { ...headers, ...bearer(issuer.token()) },
    ...(body !== undefined && { body }),
  });
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(JSON.stringify(SENTENCE).slice(1, -1));
  expect(answer.text).not.toContain('a-secret-token');
  if (status === 405) expect(answer.headers.allow).toBe('GET, POST');
  expect(service.operations()).toHaveLength(0);
});

test('a parameter that has the name of the token does no harm beside an operation', async () => {
  const search = new URLSearchParams({ query: '{ hello }', token: 'of-a-cache' });
  const { body } = await gateway.send(`/v1/graphql?${search}`, { headers: bearer(issuer.token()) });
  expect(body).toEqual({ data: { hello: null } });
});

test('the client of graphql-sse gets the refusal at once', async () => {
  const errors: unknown[] = [];
  const client = createClient({
    url: `${gateway.url}/v1/graphql`,
    singleConnection: true,
    headers: bearer(issuer.token()),
    retryAttempts: 0,
  });
  client.subscribe(
    { query: '{ hello }' },
    { next: () => {}, error: (error) => void errors.push(error), complete: () => {} },
  );
  await until('it has failed', () => errors.length > 0);
  expect(String(errors[0])).toContain('405');
  client.dispose();
});
