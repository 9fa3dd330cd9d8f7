import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from '@jest/globals';
import { ComposerStopped, composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import { keeper, openIssuer, until, watchThreads } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';
import { federated, openShop } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
/** Enough for a thread of its own to compose it, and none to plan over it. */
const LONG = `"""${'so much to say of it. '.repeat(1_000)}"""`;

/** Counts the threads that are started until `stop` is called, and does something to each. */
function eachThread(act: (worker: Worker) => void) {
  let count = 0;
  const onThread = (message: unknown) => {
    count++;
    act((message as { worker: Worker }).worker);
  };
  subscribe('worker_threads', onThread);
  return { count: () => count, stop: () => unsubscribe('worker_threads', onThread) };
}

const endThreads = () => eachThread((worker) => void worker.terminate());

test('subgraphs that need more memory than was expected are composed with more', async () => {
  const running = watchThreads();
  const started = eachThread(() => {});
  const sdl = linked(`${Array.from({ length: 500 }, (_, i) => `type T${i} { a: Int b: Int c: Int }`).join('\n')}
    type Query { ${Array.from({ length: 500 }, (_, i) => `t${i}: T${i}`).join('\n')} }`);
  const composed = await composeSubgraphs([{ name: 'a', sdl }], 4);
  expect(composed).toHaveProperty('supergraph');
  started.stop();
  expect(started.count()).toBe(2);
  await until('no thread is left', () => running.size === 0);
});

test('an interrupted composition is not reported as a problem of the subgraphs', async () => {
  const ending = endThreads();
  const sdl = linked(`${LONG} type Query { note: String }`);
  await expect(composeSubgraphs([{ name: 'a', sdl }])).rejects.toThrow(ComposerStopped);
  ending.stop();
  expect(ending.count()).toBe(2);
});

test('a change whose composition is interrupted keeps the graph, and takes effect later', async () => {
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
  const ask = async (query: string) => (await gateway.graphql(query, { token })).body;
  const joined = '{ note reviews { product { name } } }';
  const before = await ask(joined);
  expect(before.errors).toBeUndefined();

  const ending = endThreads();
  notes.become(linked(`${LONG} type Query { note: String added: String }`), {
    Query: { note: () => 'first', added: () => 'new' },
  });
  await gateway.edit({});
  await until('it is tried again', () => ending.count() >= 4);
  expect(await ask(joined)).toEqual(before);
  expect(await gateway.health()).toBe('OK');
  expect(gateway.logs()).toContain('composing the subgraphs was interrupted');
  ending.stop();
  await until('the change takes effect', async () => (await ask('{ added }')).data?.added === 'new');
  await until('no thread is left', () => running.size === 0);
});

test('a gateway whose first composition is interrupted has all subgraphs after the next one', async () => {
  const notes = await keep(
    apolloSubgraph(linked(`${LONG} type Query { note: String }`), { Query: { note: () => 'first' } }),
  );
  const ending = endThreads();
  const opening = openShop(issuer, (products, reviews) => [
    federated('products', products),
    federated('reviews', reviews),
    federated('notes', notes),
  ]);
  await until('it has been tried twice', () => ending.count() >= 4);
  ending.stop();
  const { gateway } = await keep(opening);
  expect((await gateway.graphql('{ note reviews { text } }', { token })).body.errors).toBeUndefined();
  expect(await gateway.health()).toBe('OK');
});
