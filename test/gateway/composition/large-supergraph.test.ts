import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from '@jest/globals';
import { keeper, openIssuer, until, watchThreads } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';
import { federated, openShop } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const LONG = `"""${'so much to say of it. '.repeat(6_000)}"""`;

test('the planner of a large supergraph has a thread, which ends with the graph that it plans for', async () => {
  const running = watchThreads();
  const notes = await keep(
    apolloSubgraph(linked(`${LONG} type Query { note: String }`), { Query: { note: () => 'first' } }),
  );
  const { gateway, close: closeShop } = await openShop(issuer, (products, reviews) => [
    federated('products', products),
    federated('reviews', reviews),
    federated('notes', notes),
  ]);
  const joined = '{ note reviews { product { name } } }';
  expect((await gateway.graphql(joined, { token })).body).toEqual({
    data: { note: 'first', reviews: [{ product: { name: 'bolt' } }, { product: { name: 'nut' } }] },
  });
  await until('only the planner is left', () => running.size === 1);
  const [first] = running;

  notes.become(linked(`${LONG} type Query { note: String added: String }`), {
    Query: { note: () => 'second', added: () => 'new' },
  });
  expect((await gateway.edit({})).status).toBe(200);
  expect((await gateway.graphql('{ added reviews { text } }', { token })).body).toMatchObject({
    data: { added: 'new' },
  });
  await until('the planner of the graph before has gone', () => running.size === 1 && !running.has(first as never));

  await closeShop();
  await until('no thread is left', () => running.size === 0);
});

test('the planner of a large supergraph that is rejected ends', async () => {
  const running = watchThreads();
  const notes = await keep(
    apolloSubgraph(linked(`${LONG} type Query { note: String }`), { Query: { note: () => 'first' } }),
  );
  const { gateway, products, reviews } = await keep(
    openShop(issuer, (products, reviews) => [
      federated('products', products),
      federated('reviews', reviews),
      federated('notes', notes),
    ]),
  );
  await until('only the planner is left', () => running.size === 1);
  const [inForce] = running;

  const started = new Set<Worker>();
  const onThread = (message: unknown) => void started.add((message as { worker: Worker }).worker);
  subscribe('worker_threads', onThread);
  const { status } = await gateway.edit({
    'remote_schemas.yaml': [
      federated('products', products),
      federated('reviews', reviews, {}, { user: 'type Product { upc: String! missing: String }' }),
      federated('notes', notes),
    ],
  });
  unsubscribe('worker_threads', onThread);
  expect(status).toBe(400);
  expect(started.size).toBeGreaterThan(0);
  await until('only the current planner is left', () => running.size === 1);
  expect([...running]).toEqual([inForce]);
  expect((await gateway.graphql('{ note }', { token })).body).toEqual({ data: { note: 'first' } });
});

test('a planner thread that has ended is reported, and later operations are planned by a new one', async () => {
  const running = watchThreads();
  const notes = await keep(
    apolloSubgraph(linked(`${LONG} type Query { note: String }`), { Query: { note: () => 'first' } }),
  );
  const { gateway } = await keep(
    openShop(issuer, (products, reviews) => [
      federated('products', products),
      federated('reviews', reviews),
      federated('notes', notes),
    ]),
  );
  await until('only the planner is left', () => running.size === 1);
  for (const worker of running) await worker.terminate();
  await until('it has gone', () => running.size === 0);
  const ask = async () => (await gateway.graphql('{ note reviews { text product { name } } }', { token })).body;
  const told = await ask();
  // Unless the machine is so slow that it may be opened again already.
  if (told.errors)
    expect(told).toMatchObject({
      errors: [
        {
          message: 'the query planner of federation is not available for a moment',
          extensions: { path: '$', code: 'service-unavailable' },
        },
      ],
    });
  await until('the same operation is answered', async () => (await ask()).data !== undefined);
});
