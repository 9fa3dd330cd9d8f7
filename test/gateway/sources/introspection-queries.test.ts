import { describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLInputObjectType,
  getIntrospectionQuery,
  graphqlSync,
  type IntrospectionQuery,
  introspectionFromSchema,
  parse,
  visit,
} from 'graphql';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { type RemoteSchema, remoteSchema } from '../../../gateway/sources/index.ts';
import type { UpstreamConnections } from '../../../gateway/upstream/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const SDL = 'type Query { items(filter: Filter): String } input Filter { old: String @deprecated new: String }';
const STANDARD = getIntrospectionQuery();
/** Fields of introspection that came after the specification of 2018. */
const LATER_FIELDS = new Set([
  '__Schema.description',
  '__Type.isOneOf',
  '__Type.specifiedByURL',
  '__Directive.isRepeatable',
  '__InputValue.isDeprecated',
  '__InputValue.deprecationReason',
]);

interface Answer {
  readonly status?: number;
  readonly text: string;
}

/** A service of today. */
const modern = (query: string): Answer => ({
  text: JSON.stringify(graphqlSync({ schema: buildSchema(SDL), source: query })),
});

/** A service of the specification of 2018, which knows no deprecated inputs. */
const old = (query: string): Answer => {
  if (query !== STANDARD) return { status: 400, text: '{"errors":[{"message":"Cannot query field"}]}' };
  const { __schema } = introspectionFromSchema(buildSchema(SDL), { inputValueDeprecation: false, oneOf: false });
  const types = __schema.types.map((type) =>
    type.kind === 'OBJECT' && type.name.startsWith('__')
      ? {
          ...type,
          fields: type.fields
            .filter(({ name }) => !LATER_FIELDS.has(`${type.name}.${name}`))
            .map((field) => ({ ...field, args: [] })),
        }
      : type,
  );
  return { text: JSON.stringify({ data: { __schema: { ...__schema, types } } }) };
};

/** A service of today that refuses every other query than that of 2018. */
const refusing = (refusal: Answer) => (query: string) => (query === STANDARD ? modern(query) : refusal);

/** A remote schema before a service that answers by `answer`, which may be replaced, and what that was asked. */
function service(answer: (query: string) => Answer, definition: object = {}) {
  const asked: string[] = [];
  const upstream = { answer };
  const http: UpstreamConnections = {
    dispatch: () => {
      throw new Error('no operation is run here');
    },
    send: async ({ body: sent }) => {
      const { query } = JSON.parse(String(sent)) as { query: string };
      asked.push(query);
      const { status = 200, text } = upstream.answer(query);
      return { status, headers: {}, body: text, chunks: [Buffer.from(text)], bytes: Buffer.from(text) };
    },
    pool: () => http,
    buffered: { bytes: 0, held: 0 },
    unfinishedEvents: { begin: () => ({ set: () => true }) },
    close: async () => {},
  };
  const directory = metadataDirectory({
    'remote_schemas.yaml': [{ name: 'shop', definition: { url: 'http://shop.test/', ...definition } }],
  });
  const [metadata] = loadMetadata(directory.path).remoteSchemas;
  directory.close();
  if (!metadata) throw new Error('the metadata describes no remote schema');
  const remote = remoteSchema(metadata, { environment: {}, http, publicRole: 'anonymous' });
  return {
    upstream,
    /** The fields of the service's input, and which queries were sent for them. */
    open: async () => {
      asked.length = 0;
      return { fields: filterFields(await remote.open()), asked: asked.map(kindOf) };
    },
  };
}

function filterFields(opened: Awaited<ReturnType<RemoteSchema['open']>>): string[] {
  if (opened.kind !== 'source') throw new Error('no source');
  return Object.keys((opened.source.upstream.getType('Filter') as GraphQLInputObjectType).getFields());
}

const kindOf = (query: string) => (query === STANDARD ? 'standard' : 'whole');
const all = ['old', 'new'];

test('a service is asked for all that it supports, by one request from then on', async () => {
  const { open } = service(modern);
  expect(await open()).toEqual({ fields: all, asked: ['standard', 'whole'] });
  expect(await open()).toEqual({ fields: all, asked: ['whole'] });
  expect(await open()).toEqual({ fields: all, asked: ['whole'] });
});

test('a service of the specification of 2018 is only sent its query', async () => {
  const { open } = service(old);
  expect(await open()).toEqual({ fields: ['new'], asked: ['standard'] });
  expect(await open()).toEqual({ fields: ['new'], asked: ['standard'] });
});

test('a service that allows each field of introspection once in an operation refuses nothing', async () => {
  const refused: string[] = [];
  const { open } = service((query) => {
    const counts = new Map<string, number>();
    visit(parse(query), { Field: ({ name }) => void counts.set(name.value, (counts.get(name.value) ?? 0) + 1) });
    const once = ['__schema', '__type', 'fields', 'inputFields', 'interfaces', 'possibleTypes'];
    if (once.every((name) => (counts.get(name) ?? 0) < 2)) return modern(query);
    refused.push(query);
    return { text: '{"errors":[{"message":"This request is not asking for introspection in good faith"}]}' };
  });
  expect((await open()).fields).toEqual(all);
  expect(refused).toEqual([]);
});

describe('a service that refuses more than the query of 2018', () => {
  test.each<[how: string, Answer]>([
    ['an error of GraphQL', { text: '{"errors":[{"message":"no such operation is allowed"}]}' }],
    ['a page', { status: 403, text: '<html>' }],
    ['a text', { status: 400, text: 'Bad Request' }],
    ['no schema', { text: '{"data":{"__schema":null}}' }],
  ])('by %s is introspected by that, and not asked for more each time', async (_, refusal) => {
    const { open, upstream } = service(refusing(refusal));
    expect(await open()).toEqual({ fields: ['new'], asked: ['standard', 'whole'] });
    expect(await open()).toEqual({ fields: ['new'], asked: ['standard'] });
    upstream.answer = (query) => {
      const { text } = modern(query);
      return { text: text.replace('"description":null', '"description":"changed"') };
    };
    expect(await open()).toEqual({ fields: all, asked: ['standard', 'whole'] });
  });

  test.each(['<html>', '{"errors":[]}'])('as it fails (%s) is introspected by that, and asked again', async (text) => {
    const { open, upstream } = service(refusing({ status: 500, text }));
    expect(await open()).toEqual({ fields: ['new'], asked: ['standard', 'whole'] });
    expect(await open()).toEqual({ fields: ['new'], asked: ['standard', 'whole'] });
    upstream.answer = modern;
    expect(await open()).toEqual({ fields: all, asked: ['standard', 'whole'] });
    expect(await open()).toEqual({ fields: all, asked: ['whole'] });
  });

  test('with JSON that is no response of GraphQL says what to look at', async () => {
    const { open } = service(() => ({ text: '{"ok":true}' }));
    await expect(open()).rejects.toThrow(
      'the introspection was refused: status 200, without data and errors: check the path of its URL',
    );
  });

  test.each([
    ['federation', 'remove composition: federation if the service is not a subgraph'],
    ['stitching', 'a service without _sdl has no composition: stitching'],
  ])('as it has no SDL for %s says what to change', async (composition, remedy) => {
    const { open } = service(modern, { composition });
    await expect(open()).rejects.toThrow(new RegExp(`Cannot query field "_\\w+" on type "Query"\\. \\(${remedy}\\)$`));
  });

  test('for too many requests is asked again later', async () => {
    const { open, upstream } = service(refusing({ status: 429, text: 'slow down' }));
    await expect(open()).rejects.toThrow('(status 429)');
    upstream.answer = modern;
    expect((await open()).fields).toEqual(all);
  });

  test('as the connection fails is asked again later', async () => {
    const { open, upstream } = service((query) => {
      if (query === STANDARD) return modern(query);
      throw new Error('connection: ECONNRESET');
    });
    await expect(open()).rejects.toThrow('ECONNRESET');
    upstream.answer = modern;
    expect((await open()).fields).toEqual(all);
  });

  test.each<[how: string, Answer]>([
    ['an error of GraphQL', { status: 400, text: '{"errors":[{"message":"not now"}]}' }],
    ['a page', { status: 502, text: '<html>' }],
  ])('only for now, by %s, keeps its schema', async (_, refusal) => {
    const { open, upstream } = service(modern);
    await open();
    upstream.answer = refusing(refusal);
    await expect(open()).rejects.toThrow('introspection');
    await expect(open()).rejects.toThrow('introspection');
    upstream.answer = modern;
    expect(await open()).toEqual({ fields: all, asked: ['whole'] });
  });
});

test('a service that becomes an older or a newer one is asked for what that supports', async () => {
  const { open, upstream } = service(modern);
  await open();
  upstream.answer = old;
  expect(await open()).toEqual({ fields: ['new'], asked: ['whole', 'standard'] });
  expect(await open()).toEqual({ fields: ['new'], asked: ['standard'] });
  upstream.answer = modern;
  expect(await open()).toEqual({ fields: all, asked: ['standard', 'whole'] });
  expect(await open()).toEqual({ fields: all, asked: ['whole'] });
});

describe('an answer that lacks', () => {
  type Schema = { types: Record<string, unknown>[]; directives: Record<string, unknown>[] };
  const typeOf = ({ types }: Schema, name: string) => types.find((type) => type.name === name) ?? {};

  test.each<[what: string, (schema: Schema) => void, reason: string]>([
    ['the types', (schema) => delete (schema as Partial<Schema>).types, 'there are no types'],
    ['fields', (schema) => delete typeOf(schema, 'Query').fields, 'missing fields'],
    ['input fields', (schema) => delete typeOf(schema, 'Filter').inputFields, 'missing inputFields'],
    [
      'arguments',
      (schema) => delete (typeOf(schema, 'Query').fields as Record<string, unknown>[])[0]?.args,
      'missing field args',
    ],
    ['arguments of a directive', (schema) => delete schema.directives[0]?.args, 'missing directive args'],
  ])('%s is refused with a reason that says so', async (_, damage, reason) => {
    const { open } = service((query) => {
      const { data } = JSON.parse(modern(query).text) as { data: IntrospectionQuery };
      damage(data.__schema as unknown as Schema);
      return { text: JSON.stringify({ data }) };
    });
    await expect(open()).rejects.toThrow(reason);
  });
});
