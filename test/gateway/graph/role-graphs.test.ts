import { afterAll, describe, expect, test } from '@jest/globals';
import { parse, printSchema, validate } from 'graphql';
import { type Generation, SourceRegistry } from '../../../gateway/graph/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { openUpstreamHttp } from '../../../gateway/upstream/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';

const http = openUpstreamHttp();
afterAll(() => http.close());

const SHOP = `
  type Query { order(id: ID!): Order secrets: [Secret!]! }
  type Mutation { cancel(id: ID!, reason: Reason): Order }
  type Order { id: ID! item: String margin: Float secret: Secret }
  type Secret { text: String }
  enum Reason { LATE WRONG }`;

const FOR_CLERKS = 'type Query { order(id: ID!): Order } type Order { id: ID! item: String }';

/** The graph of a shop without permissions, or with these, and of two actions. No service is asked anything. */
async function open(permissions?: readonly { role: string; schema: string }[]): Promise<Generation> {
  const remote = {
    name: 'shop',
    definition: { url: 'http://127.0.0.1:1', schema_file: 'shop.graphql' },
    ...(permissions && { permissions: permissions.map(({ role, schema }) => ({ role, definition: { schema } })) }),
  };
  const action = (name: string, roles: readonly string[]) => ({
    name,
    definition: { handler: 'http://127.0.0.1:1' },
    permissions: roles.map((role) => ({ role })),
  });
  const directory = metadataDirectory({
    'remote_schemas.yaml': [remote],
    'shop.graphql': SHOP,
    'actions.yaml': { actions: [action('ping', ['clerk', 'anonymous']), action('report', ['boss'])] },
    'actions.graphql':
      'type Query { ping: String report(of: Period): Report } type Report { sum: Float } enum Period { DAY YEAR }',
  });
  const log = createLogger('test', 'silent');
  const surroundings = { environment: {}, http, publicRole: 'anonymous' };
  const registry = new SourceRegistry(loadMetadata(directory.path), surroundings, log);
  await registry.open();
  directory.close();
  return registry.generation;
}

const seen = (generation: Generation, role: string) =>
  printSchema(generation.graphOf(role).schema).replace(/\s+/g, ' ');

describe('a field that a role is not permitted', () => {
  test('does not exist for it, nor does what only that needs', async () => {
    const generation = await open([{ role: 'clerk', schema: FOR_CLERKS }]);
    expect(seen(generation, 'clerk')).toBe(
      'type Query { ping: String order(id: ID!): Order } type Order { id: ID! item: String }',
    );
    expect(seen(generation, 'boss')).toBe(
      'type Query { report(of: Period): Report } type Report { sum: Float } enum Period { DAY YEAR }',
    );
    expect(seen(generation, 'anonymous')).toBe('type Query { ping: String }');
    expect(seen(generation, 'stranger')).toMatch(/^type Query \{ .* no_queries_available: String \}$/);
  });

  test('is not guessed at when something like it is asked for', async () => {
    const { schema } = (await open([{ role: 'clerk', schema: FOR_CLERKS }])).graphOf('clerk');
    const errors = validate(
      schema,
      parse('{ secret order(id: 1) { margn ... on Secre { a } } reprt(of: DAI) { sun } cancel }'),
    );
    expect(errors).not.toHaveLength(0);
    expect(errors.join('\n')).not.toMatch(/secrets|margin|Secret|report|DAY|sum/);
  });

  test('is seen by an admin', async () => {
    const all = seen(await open([]), 'admin');
    for (const name of ['secrets', 'margin', 'Reason', 'report', 'ping', 'cancel']) expect(all).toContain(name);
  });
});

describe('roles that see the same', () => {
  test('share one graph', async () => {
    const generation = await open();
    const graph = generation.graphOf('anything');
    expect(generation.graphOf('something else')).toBe(graph);
    expect(generation.graphOf('toString')).toBe(graph);
    expect(generation.graphOf('__proto__')).toBe(graph);
    expect(generation.graphOf('clerk')).not.toBe(graph);
    expect(generation.graphOf('anonymous')).not.toBe(graph);
    expect(generation.publicGraph).toBe(generation.graphOf('anonymous'));
  });

  test('but a service without permissions is closed to the role of callers without a token', async () => {
    const generation = await open();
    expect(seen(generation, 'stranger')).toContain('secrets');
    expect(seen(generation, 'anonymous')).toBe('type Query { ping: String }');
    expect(seen(await open([]), 'stranger')).not.toContain('secrets');
  });
});

describe('a thousand and one roles', () => {
  test('that no permission names share one graph', async () => {
    const generation = await open();
    const graphs = new Set(Array.from({ length: 1_001 }, (_, index) => generation.graphOf(`role-${index}`)));
    expect(graphs.size).toBeLessThanOrEqual(2);
  });

  test('that are all different each see their own, also when they come again', async () => {
    const roles = Array.from({ length: 1_001 }, (_, index) => ({
      role: `role-${index}`,
      schema: `type Query { order(id: ID!): Order } type Order { id: ID! ${index % 2 ? 'item: String' : 'margin: Float'} }`,
    }));
    const generation = await open(roles);
    const see = (index: number) => {
      const type = generation.graphOf(`role-${index}`).schema.getType('Order');
      const fields = type && 'getFields' in type ? Object.keys(type.getFields()) : [];
      expect([index, fields]).toEqual([index, ['id', index % 2 ? 'item' : 'margin']]);
    };
    for (const index of roles.keys()) see(index);
    for (const index of [0, 1, 500, 999, 1_000]) see(index);
  });
});
