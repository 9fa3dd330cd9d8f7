import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, type DocumentNode, Kind, parse, print, validate } from 'graphql';
import { type Cores, ProcessGroup } from '../../bench/machine/index.ts';
import { connectionsOf, graphOf, ROW_IDS, ROWS } from '../../bench/rows.ts';
import {
  federationOneSdl,
  GRAPH_NAMES,
  heavyAnswer,
  heavyQuery,
  plainSdl,
  publicSdl,
  publishedAnswer,
  type Subgraphs,
  startSubgraphs,
  subgraphsOf,
  supergraphSdl,
} from '../../bench/subgraphs/index.ts';
import { type BenchDependencies, expectResponse, requestAt, TARGETS, targetsNamed } from '../../bench/targets/index.ts';

/** The object types of a supergraph with the directives that say where each field is, in alphabetical order. */
function joinedTypes(supergraph: string): readonly string[] {
  const document: DocumentNode = parse(supergraph);
  return document.definitions
    .flatMap((definition) => {
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
      const { name, directives = [], fields = [] } = definition;
      const lines = [
        ...directives.map((directive) => `${name.value} ${print(directive)}`),
        ...fields.map((field) => `${name.value}.${print({ ...field, directives: [] })}`),
        ...fields.flatMap((field) =>
          (field.directives ?? []).map((directive) => `${name.value}.${field.name.value} ${print(directive)}`),
        ),
      ];
      return lines;
    })
    .sort();
}

describe('the graphs of the benchmark', () => {
  test.each(GRAPH_NAMES)('%s composes, with the places of its services', (graph) => {
    const supergraph = supergraphSdl(graph, 'http://services.test');
    for (const { path } of subgraphsOf(graph)) expect(supergraph).toContain(`http://services.test${path}"`);
  });

  test('the small one exists for federation 1 and for plain gateways', () => {
    expect(plainSdl('a') + plainSdl('b')).not.toContain('@');
    expect(plainSdl('b')).not.toContain('Product');
    const [, b] = subgraphsOf('small').map(federationOneSdl);
    expect(b).toContain('extend type Product @key(fields: "id")');
    expect(b).toContain('id: ID! @external');
  });

  test('the heavy one is that of the published supergraph', () => {
    const published = readFileSync('bench/heavy/supergraph.graphql', 'utf8');
    expect(joinedTypes(supergraphSdl('heavy', 'http://services.test'))).toEqual(joinedTypes(published));
  });

  test('the heavy one exists for federation 1', () => {
    const [accounts = '', inventory = '', products = '', reviews = ''] = subgraphsOf('heavy').map(federationOneSdl);
    for (const sdl of [accounts, inventory, products, reviews]) expect(sdl).not.toContain('@link');
    expect(accounts).toContain('extend type Query');
    expect(accounts).toMatch(/^type User @key/m);
    expect(inventory).toMatch(/^extend type Product @key\(fields: "upc"\) \{\n {2}upc: String! @external\n/m);
    expect(reviews).toMatch(/^extend type User @key\(fields: "id"\) \{\n {2}id: ID! @external\n/m);
    expect(reviews).toMatch(/^extend type Product @key\(fields: "upc"\) \{\n {2}upc: String! @external\n/m);
    expect(reviews).toMatch(/^type Review @key/m);
  });

  test('the heavy query is valid, and its answer is the published one, byte for byte', () => {
    expect(validate(buildSchema(publicSdl('heavy')), parse(heavyQuery()))).toEqual([]);
    const published = readFileSync('bench/heavy/expected-answer.json', 'utf8');
    expect(published).toHaveLength(87_599);
    expect(JSON.stringify(heavyAnswer('heavy'))).toBe(published);
  });

  test('ten times the objects are ten copies, each with its own ids', () => {
    interface Answer {
      readonly data: { readonly users: readonly { id: string }[]; readonly topProducts: readonly { upc: string }[] };
    }
    const one = publishedAnswer() as Answer;
    const ten = heavyAnswer('heavy-10') as Answer;
    expect(new Set(ten.data.users.map(({ id }) => id)).size).toBe(10 * one.data.users.length);
    expect(new Set(ten.data.topProducts.map(({ upc }) => upc)).size).toBe(10 * one.data.topProducts.length);
    expect(ten.data.users.slice(0, one.data.users.length)).toEqual(one.data.users);
  });

  test('the answer of row B has 8 MiB', () => {
    const bytes = Buffer.byteLength(JSON.stringify(ROWS.B.answer));
    expect(Math.abs(bytes - 8 * 2 ** 20)).toBeLessThan(1_000);
    expect(connectionsOf(ROWS.B, 50)).toBe(10);
    expect(connectionsOf(ROWS.B, 5)).toBe(5);
    expect(connectionsOf(ROWS.G, 50)).toBe(50);
  });
});

describe('what is measured with them', () => {
  test('each row has a limit, and each heavy row one that writes texts and one that joins objects', () => {
    for (const id of ROW_IDS.slice(0, ROW_IDS.indexOf('preset')))
      expect([id, targetsNamed(['ideal']).some(({ rows }) => rows.includes(id))]).toEqual([id, true]);
    expect(targetsNamed(['ideal-objects']).map(({ rows }) => rows)).toEqual([['G', 'G10']]);
    expect(targetsNamed(['undici-proxy'])[0]?.rows).toContain('B');
  });

  test('Portico, its variant that shares calls, Grafbase and the other peers take part in the heavy rows', () => {
    const names = TARGETS.filter(({ rows }) => rows.includes('G') && rows.includes('G10')).map(({ name }) => name);
    const expected = ['portico-federation', 'portico-federation-sharing', 'grafbase', 'grafbase-sharing'];
    expect(names).toEqual(expect.arrayContaining([...expected, 'apollo', 'mercurius', 'hive-default', 'hive-rust']));
  });

  test('sizes of the young generation are measured only when they are named', () => {
    expect(TARGETS.some(({ family }) => family === 'young')).toBe(false);
    expect(targetsNamed(['young']).map(({ name }) => name)).toContain('portico-federation-young-32');
  });

  test('Grafbase is not started where there is no binary for it', async () => {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'aix' });
    try {
      const [grafbase] = targetsNamed(['grafbase']);
      const start = grafbase?.start({} as BenchDependencies);
      await expect(start).rejects.toThrow(/Grafbase is measured on Linux x64 only: this is aix/);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });
});

describe('the hand-written limits', () => {
  const group = new ProcessGroup();
  const cores: Cores = { gateway: undefined, subgraphs: undefined, load: undefined };
  let subgraphs: Subgraphs;

  beforeAll(async () => {
    subgraphs = await startSubgraphs(group, cores);
  });
  afterAll(() => group.close());

  test.each([
    ['ideal', 'G'],
    ['ideal', 'G10'],
    ['ideal-objects', 'G'],
    ['ideal-objects', 'G10'],
  ] as const)('%s answers row %s as expected, in as many calls as the row needs', async (name, id) => {
    const [target] = targetsNamed([name]);
    const dependencies = { group, cores, subgraphs, say: () => {} };
    const running = await target?.start(dependencies, graphOf(id));
    if (!running) throw new Error(`there is no target ${name}`);
    await subgraphs.count();
    await expectResponse(running.request(ROWS[id]), ROWS[id].answer);
    expect(await subgraphs.count()).toBe(ROWS[id].calls);
    await running.stop();
  });

  test('subgraphs answer the heavy query for the objects that they are asked for', async () => {
    const entities = async (path: string, ...upcs: string[]) => {
      const row = {
        ...ROWS.G,
        request: {
          kind: 'graphql',
          query:
            'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Product { inStock } } }',
          variables: { representations: upcs.map((upc) => ({ __typename: 'Product', upc })) },
        },
      } as const;
      const { url, headers, body } = requestAt({ origin: subgraphs.url, graphqlPath: path }, row);
      return (await fetch(url, { method: 'POST', headers, body })).json();
    };
    const inStock = (...values: (boolean | null)[]) => ({
      data: { _entities: values.map((value) => (value === null ? null : { inStock: value })) },
    });
    expect(await entities('/heavy/inventory', '1', '2')).toEqual(inStock(true, false));
    expect(await entities('/heavy/inventory', '2', '1')).toEqual(inStock(false, true));
    expect(await entities('/heavy/inventory', '1-9')).toEqual(inStock(null));
    expect(await entities('/heavy-10/inventory', '1-9')).toEqual(inStock(true));
  });
});
