import { describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { openPlanner } from '../../../gateway/federation/plan/index.ts';
import { withServiceOrder } from '../../../gateway/federation/plan/service-order.ts';
import { graphNames } from '../../../gateway/supergraph/index.ts';

/**
 * A supergraph of these subgraphs, by their values of `join__Graph`.
 * @param interfaces the subgraph that has each interface, and those that have an interface object of it.
 */
function supergraphOf(names: Readonly<Record<string, string>>, interfaces: readonly (readonly [string, string[]])[]) {
  const graphs = Object.entries(names).map(([graph, name]) => `${graph} @join__graph(name: "${name}", url: "")`);
  const types = interfaces.map(([owner, others], index) => {
    const joins = others.map((graph) => `@join__type(graph: ${graph}, key: "id", isInterfaceObject: true)`);
    return `interface I${index} @join__type(graph: ${owner}, key: "id") ${joins.join(' ')} { id: ID! }`;
  });
  return `enum join__Graph { ${graphs.join(' ')} } ${types.join(' ')} type Query { a: ID }`;
}

/** The values of `join__Graph` in the order of the subgraphs' new names. */
function order(sdl: string): readonly string[] {
  const names = [...graphNames(parse(sdl))].map(([graph, name]) => [Buffer.from(name), graph] as const);
  return names.sort(([one], [other]) => one.compare(other)).map(([, graph]) => graph);
}

describe('subgraphs with interface objects are planned after those that have the interface', () => {
  test('whatever characters their names have', () => {
    const sdl = supergraphOf({ A: 'orte', B: 'ämter', C: '~orte', D: 'zz' }, [['B', ['A', 'D']]]);
    const ordered = withServiceOrder(sdl);
    expect(order(ordered.sdl)).toEqual(['C', 'B', 'A', 'D']);
    for (const [graph, serviceName] of graphNames(parse(sdl))) {
      const renamed = graphNames(parse(ordered.sdl)).get(graph) ?? '';
      const fetch = { kind: 'Fetch', serviceName: renamed, operation: '{ a }' } as const;
      expect(ordered.restore(fetch)).toEqual({ ...fetch, serviceName });
    }
  });

  test('however the supergraph is written', () => {
    const sdl = supergraphOf({ A: 'a', B: 'b' }, [['B', ['A']]]);
    const compact = sdl.replaceAll(': ', ':');
    expect(compact).toContain('isInterfaceObject:true');
    expect(order(withServiceOrder(compact).sdl)).toEqual(['B', 'A']);
  });

  test('in long chains', () => {
    const graphs = Array.from({ length: 30 }, (_, index) => `G${index}`);
    const names = Object.fromEntries(graphs.map((graph, index) => [graph, `s${99 - index}`]));
    const interfaces = graphs.map((graph, index) => [graph, graphs.slice(index + 1)] as const);
    expect(order(withServiceOrder(supergraphOf(names, interfaces)).sdl)).toEqual(graphs);
  });

  test('as far as it is possible where they form circles', () => {
    const graphs = Array.from({ length: 20 }, (_, index) => `G${index}`);
    const names = Object.fromEntries(graphs.map((graph, index) => [graph, `s${99 - index}`]));
    const interfaces = graphs.map((graph) => [graph, graphs.filter((other) => other !== graph)] as const);
    const first = ['Z', graphs] as const;
    const { sdl } = withServiceOrder(supergraphOf({ ...names, Z: 'zz' }, [...interfaces, first]));
    expect(order(sdl)[0]).toBe('Z');
  });
});

test.each([
  [[], 'a'],
  [['tried'], 'c'],
])('a field that is overridden while %j is active comes from %s', (active, service) => {
  const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7",
    import: ["@key", "@interfaceObject", "@override"])`;
  const subgraphs = {
    a: `type Query { best: Work box: Box } type Box @key(fields: "id") { id: ID! size: Int }
      type Work @interfaceObject @key(fields: "id") { id: ID! stars: Int }`,
    b: `interface Work @key(fields: "id") { id: ID! } type Film implements Work @key(fields: "id") { id: ID! minutes: Int }`,
    c: `type Box @key(fields: "id") { id: ID! size: Int @override(from: "a", label: "tried") }`,
  };
  const services = Object.entries(subgraphs).map(([name, sdl]) => ({ name, typeDefs: parse(link + sdl) }));
  const { supergraphSdl = '' } = composeServices(services);
  const plan = openPlanner(supergraphSdl)(
    '{ box { size } best { ... on Film { minutes } } }',
    undefined,
    new Set(active),
  );
  const text = JSON.stringify(plan);
  expect(text).toContain('minutes');
  const fetches = [...text.matchAll(/"serviceName":"(\w+)"[^{}]*"operation":"([^"]*)"/g)];
  expect(fetches.filter(([, , operation]) => operation?.includes('size')).map(([, name]) => name)).toEqual([service]);
});
