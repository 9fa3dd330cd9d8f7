import { afterEach, describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync, OperationTypeNode } from 'graphql';
import { SourceRegistry } from '../../../gateway/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import type { SchemaStore } from '../../../gateway/sources/index.ts';
import { type UpstreamConnections, UpstreamError } from '../../../gateway/upstream/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { until } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const SCHEMAS: Readonly<Record<string, string>> = {
  'http://one.test/': 'type Query { one: T i: I } interface I { f: Int g: Int } type T implements I { f: Int g: Int }',
  'http://other.test/': 'type Query { other: U } interface I { f: Int g: Int } type U implements I { f: Int g: Int }',
};
const FOR_CLERKS: Readonly<Record<string, string>> = {
  one: 'type Query { one: T } interface I { f: Int } type T implements I { f: Int }',
  other: SCHEMAS['http://other.test/'] ?? '',
};

const opened: SourceRegistry[] = [];
afterEach(() => {
  for (const registry of opened.splice(0)) registry.stop();
});

/** Services that answer when the test says so; nothing goes over a wire. */
function services(whenAsked: (url: string) => Promise<void>): UpstreamConnections {
  const http: UpstreamConnections = {
    dispatch: () => {
      throw new Error('no operation is run here');
    },
    send: async ({ url }) => {
      await whenAsked(url);
      const schema = buildSchema(SCHEMAS[url] ?? '');
      const body = JSON.stringify(graphqlSync({ schema, source: getIntrospectionQuery() }));
      return { status: 200, headers: {}, body, chunks: [Buffer.from(body)], bytes: Buffer.from(body) };
    },
    pool: () => http,
    buffered: { bytes: 0, held: 0 },
    unfinishedEvents: { begin: () => ({ set: () => true }) },
    close: async () => {},
  };
  return http;
}

/** What is stored of every service: what it is. */
const allStored: SchemaStore = {
  read: async (source) => ({ composition: 'plain', sdl: SCHEMAS[`http://${source}.test/`] ?? '', fingerprint: '' }),
  write: async () => {},
};

function newRegistry(
  http: UpstreamConnections,
  { names = ['one', 'other'], schemas = allStored, forClerks = false } = {},
): SourceRegistry {
  const directory = metadataDirectory({
    'remote_schemas.yaml': names.map((name) => ({
      name,
      definition: { url: `http://${name}.test/` },
      ...(forClerks && { permissions: [{ role: 'clerk', definition: { schema: FOR_CLERKS[name] } }] }),
    })),
  });
  const surroundings = { environment: {}, http, publicRole: 'anonymous', schemas };
  const registry = new SourceRegistry(loadMetadata(directory.path), surroundings, createLogger('test', 'silent'));
  directory.close();
  opened.push(registry);
  return registry;
}

const down = () => Promise.reject(new UpstreamError('connection', new Error('connect ECONNREFUSED')));
const hangs = () => new Promise<void>(() => {});
const namesOf = ({ generation }: SourceRegistry) => generation.sources.map(({ name }) => name);
const missingOf = ({ generation }: SourceRegistry) => generation.missing.map(({ source }) => source);

describe('sources that are put together', () => {
  test('are served from their stored schemas while the services hang, even where one role’s permission does not fit', async () => {
    const registry = newRegistry(services(hangs), { forClerks: true });
    void registry.open();
    await until('what is stored is in force', () => namesOf(registry).length === 2);
    expect(registry.generation.graphOf('admin').hasRootField(OperationTypeNode.QUERY, 'other')).toBe(true);
    expect(() => registry.generation.graphOf('clerk')).toThrow('the graph of role "clerk" is not valid');
  });

  test('are introspected when the schema store cannot be read', async () => {
    const broken: SchemaStore = { ...allStored, read: () => Promise.reject(new Error('the disk is gone')) };
    const registry = newRegistry(
      services(async () => {}),
      { schemas: broken },
    );
    await registry.open();
    expect(namesOf(registry)).toEqual(['one', 'other']);
  });
});

describe('a service that answers those who asked before a reload', () => {
  test('is missing no longer once those ask that came after', async () => {
    let whenAsked: () => Promise<void> = down;
    const http = services(() => whenAsked());
    const before = newRegistry(http, { names: ['one'] });
    await before.open();
    expect(missingOf(before)).toEqual(['one']);

    let answer = () => {};
    let isAsked = false;
    whenAsked = () => {
      isAsked = true;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    before.startPolling();
    await until('it is asked again', () => isAsked);

    whenAsked = async () => {};
    const after = newRegistry(http, { names: ['one'] });
    await after.open(before, false);
    before.stop();
    expect(missingOf(after)).toEqual(['one']);
    answer();
    await until('those before know', () => before.isAvailable('one'));
    after.startPolling();
    await until('it is missing no longer', () => missingOf(after).length === 0);
  });
});

describe('a service whose introspection equals the stored schema', () => {
  test('keeps its source in a reload that asks it again', async () => {
    const http = services(async () => {});
    const before = newRegistry(http, { names: ['one'] });
    await before.open();
    const after = newRegistry(http, { names: ['one'] });
    await after.open(before);
    expect(after.generation.sources[0]).toBe(before.generation.sources[0]);
    expect(after.isAvailable('one')).toBe(true);
  });
});
