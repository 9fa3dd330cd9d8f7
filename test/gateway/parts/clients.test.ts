import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
// These two come with what we depend on: a client, and the reader of parts that urql and Relay's users take.
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { meros } from 'meros/node';
import { bearer, type Issuer, keeper, openGateway, openIssuer, type TestGateway } from '../harness/index.ts';
import { ask, INCREMENTAL, SHOP } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
let issuer: Issuer;
let gateway: TestGateway;
/** Lets the slow fields of the service answer. */
let release: () => void = () => {};
let isSlow = Promise.resolve();

beforeAll(async () => {
  issuer = await keep(openIssuer());
  const url = await yogaShop();
  gateway = await keep(
    openGateway({ issuer, metadata: { 'remote_schemas.yaml': [{ name: 'shop', definition: { url } }] } }),
  );
});

/** GraphQL Yoga, which delivers parts where its schema has the directives. */
async function yogaShop(): Promise<string> {
  const product = {
    id: '1',
    reviews: () => isSlow.then(() => ['good', 'bad']),
    stock: () => isSlow.then(() => Promise.reject(new Error('nobody has counted'))),
  };
  async function* products() {
    yield { id: 'a' };
    await isSlow;
    yield { id: 'b' };
  }
  const schema = createSchema({
    typeDefs: INCREMENTAL + SHOP,
    resolvers: { Query: { product: () => product, products } },
  });
  const yoga = createYoga({ schema, graphqlEndpoint: '/graphql', logging: false, maskedErrors: false });
  const server: Server = createServer(yoga);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await keep({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

function beSlow(): void {
  isSlow = new Promise((resolve) => {
    release = resolve;
  });
}

const client = () =>
  buildHTTPExecutor({ endpoint: `${gateway.url}/v1/graphql`, headers: bearer(issuer.token()), method: 'POST' });

async function resultsOf(query: string): Promise<readonly unknown[]> {
  beSlow();
  const answer = await client()({ document: parse(query) });
  if (!(Symbol.asyncIterator in (answer as object))) {
    release();
    return [answer];
  }
  const results: unknown[] = [];
  for await (const result of answer as AsyncIterable<unknown>) {
    results.push(JSON.parse(JSON.stringify(result)));
    // Only now may the service go on: what has come so far was not held back.
    release();
  }
  return results;
}

describe('GraphQL Yoga behind the gateway, a client of GraphQL Tools before it', () => {
  test('a deferred fragment comes later', async () => {
    const results = await resultsOf('{ product { id ... @defer { reviews } } }');
    expect(results.length).toBeGreaterThan(1);
    expect(results[0]).toMatchObject({ data: { product: { id: '1' } } });
    expect(JSON.stringify(results[0])).not.toContain('good');
    expect(results.at(-1)).toMatchObject({ data: { product: { id: '1', reviews: ['good', 'bad'] } } });
  });

  test('items of a list come later', async () => {
    const results = await resultsOf('{ products @stream(initialCount: 1) { id } }');
    expect(results[0]).toMatchObject({ data: { products: [{ id: 'a' }] } });
    expect(results.at(-1)).toMatchObject({ data: { products: [{ id: 'a' }, { id: 'b' }] } });
  });

  test('an error of a deferred part names its service', async () => {
    const results = await resultsOf('{ product { id ... @defer { stock } } }');
    const told = results.find((result) => JSON.stringify(result).includes('nobody has counted'));
    expect(JSON.stringify(told)).toContain('"service":"shop"');
  });

  test('what is deferred never comes at once where it is not to be', async () => {
    const results = await resultsOf('{ product { id ... @defer(if: false) { id } } }');
    expect(results).toEqual([{ data: { product: { id: '1' } } }]);
  });

  test('meros reads the parts one by one', async () => {
    beSlow();
    const answer = await ask(gateway, issuer, '{ product { id ... @defer(label: "r") { reviews } } }', {
      isPaused: true,
    });
    const parts = await meros<Record<string, unknown>>(answer.response);
    if (!(Symbol.asyncIterator in parts)) throw new Error('the answer is in one piece');
    const bodies: unknown[] = [];
    for await (const part of parts) {
      expect(part.json).toBe(true);
      bodies.push(part.body);
      release();
    }
    expect(bodies[0]).toEqual({ data: { product: { id: '1' } }, hasNext: true });
    expect(bodies[1]).toMatchObject({
      incremental: [{ data: { reviews: ['good', 'bad'] }, path: ['product'], label: 'r' }],
    });
    expect(bodies.at(-1)).toMatchObject({ hasNext: false });
  });
});
