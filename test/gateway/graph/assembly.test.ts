import { afterEach, describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, graphqlSync, OperationTypeNode } from 'graphql';
import { Assembly } from '../../../gateway/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { type SchemaStore, type UpstreamConnections, UpstreamError } from '../../../gateway/sources/index.ts';
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

const opened: Assembly[] = [];
afterEach(() => {
  for (const assembly of opened.splice(0)) assembly.stop();
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
      return { status: 200, headers: {}, body, pieces: [Buffer.from(body)], bytes: Buffer.from(body) };
    },
    lane: () => http,
    buffered: { bytes: 0, held: 0 },
    close: async () => {},
  };
  return http;
}

/** What is stored of every service: what it is. */
const allStored: SchemaStore = {
  read: async (source) => ({ composition: 'plain', sdl: SCHEMAS[`http://${source}.test/`] ?? '', fingerprint: '' }),
  write: async () => {},
};

function assemble(
  http: UpstreamConnections,
  { names = ['one', 'other'], schemas = allStored, forClerks = false } = {},
): Assembly {
  const directory = metadataDirectory({
    'remote_schemas.yaml': names.map((name) => ({
      name,
      definition: { url: `http://${name}.test/` },
      ...(forClerks && { permissions: [{ role: 'clerk', definition: { schema: FOR_CLERKS[name] } }] }),
    })),
  });
  const surroundings = { environment: {}, http, publicRole: 'anonymous', schemas };
  const assembly = new Assembly(loadMetadata(directory.path), surroundings, createLogger('test', 'silent'));
  directory.close();
  opened.push(assembly);
  return assembly;
}

const down = () => Promise.reject(new UpstreamError('connection', new Error('connect ECONNREFUSED')));
const hangs = () => new Promise<void>(() => {});
const namesOf = ({ generation }: Assembly) => generation.sources.map(({ name }) => name);
const missingOf = ({ generation }: Assembly) => generation.missing.map(({ source }) => source);

describe('sources that are put together', () => {
  test('are in force by their stored schemas while services hang, though these suit one role badly', async () => {
    const assembly = assemble(services(hangs), { forClerks: true });
    void assembly.open();
    await until('what is stored is in force', () => namesOf(assembly).length === 2);
    expect(assembly.generation.graphOf('admin').hasRootField(OperationTypeNode.QUERY, 'other')).toBe(true);
    expect(() => assembly.generation.graphOf('clerk')).toThrow('the graph of role "clerk" is not valid');
  });

  test('are asked all the same when what is stored of them cannot be had', async () => {
    const broken: SchemaStore = { ...allStored, read: () => Promise.reject(new Error('the disk is gone')) };
    const assembly = assemble(
      services(async () => {}),
      { schemas: broken },
    );
    await assembly.open();
    expect(namesOf(assembly)).toEqual(['one', 'other']);
  });
});

describe('a service that answers those who asked before a reload', () => {
  test('is missing no longer once those ask that came after', async () => {
    let whenAsked: () => Promise<void> = down;
    const http = services(() => whenAsked());
    const before = assemble(http, { names: ['one'] });
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
    before.keepFresh();
    await until('it is asked again', () => isAsked);

    whenAsked = async () => {};
    const after = assemble(http, { names: ['one'] });
    await after.open(before, false);
    before.stop();
    expect(missingOf(after)).toEqual(['one']);
    answer();
    await until('those before know', () => before.isAvailable('one'));
    after.keepFresh();
    await until('it is missing no longer', () => missingOf(after).length === 0);
  });
});
