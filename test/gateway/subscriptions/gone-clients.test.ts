import { connect } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { keeper, openGateway, openIssuer, reply, serve, until } from '../harness/index.ts';
import { graphqlWsService } from './services.ts';

const { keep, close } = keeper();
afterAll(close);

const headers = { authorization: 'Bearer x', 'content-type': 'application/json', accept: 'text/event-stream' };

test('a client that disconnects during authentication keeps no connection slot and opens no subscription', async () => {
  const answers: (() => void)[] = [];
  const hook = await keep(
    serve(async (_, response) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      reply(response, 200, { 'x-hasura-role': 'user' });
    }),
  );
  const service = await keep(graphqlWsService());
  const gateway = await keep(
    openGateway({
      issuer: await keep(openIssuer()),
      metadata: { 'remote_schemas.yaml': [{ name: 'feed', definition: { url: service.url } }] },
      environment: {
        HASURA_GRAPHQL_JWT_SECRET: undefined,
        HASURA_GRAPHQL_AUTH_HOOK: hook.url,
        PORTICO_MAX_LIVE_CONNECTIONS: '1',
      },
    }),
  );

  const body = JSON.stringify({ query: 'subscription { orderPlaced { id } }' });
  const socket = connect(gateway.port, '127.0.0.1');
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': body.length }).map((pair) => pair.join(': '));
  socket.write(['POST /v1/graphql HTTP/1.1', ...lines, '', body].join('\r\n'));
  await until('the hook is asked', () => answers.length === 1);
  socket.destroy();
  await until('the gateway sees that the client is gone', () => gateway.logs().includes('"status":499'));
  answers[0]?.();

  const next = gateway.send('/v1/graphql', { method: 'POST', headers, body: '{"query":"{ orderCount }"}' });
  await until('the hook is asked again', () => answers.length === 2);
  answers[1]?.();
  expect((await next).status).toBe(200);
  expect(service.feed.open).toBe(0);
});
