import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { SupergraphParts } from '../../../gateway/federation/plan/supergraph-parts.ts';

test('a large root type is parsed once', () => {
  const fields = Array.from({ length: 5_000 }, (_, i) => `  field${i}(argument: String): String`);
  const sdl = `type Query {\n${fields.join('\n')}\n}`;
  const parts = new SupergraphParts(sdl);

  expect(sdl.length).toBeGreaterThan(150_000);
  const first = parts.type('Query');
  expect(first).toBeDefined();
  expect(parts.type('Query') === first).toBe(true);
});

const ODD_SDL = `
schema @link(url: "https://specs.apollo.dev/join/v0.3", import: [{ name: "@a", as: "@b" }]) { query: Query }
directive @join__type(graph: join__Graph!, key: String, isInterfaceObject: Boolean = false) repeatable on OBJECT | INTERFACE
directive @odd(of: Odd = { a: 1 }, more: [Odd] = [{ a: 2 }]) on OBJECT
enum join__Graph { A B }
input Odd { a: Int = 1 inner: Inner }
input Inner { b: Int }
"""
type Fake implements Media { none }
"""
type Query @odd(of: { a: 3 }) { media: Media }
"{ in braces }"
interface Media implements Node & Named @join__type(graph: A) @join__type(graph: B, isInterfaceObject: true) { id: ID! }
interface Node @join__type(graph: A, key: "isInterfaceObject: true") { id: ID! }
interface Named { id: ID! }
type Empty implements Node
type Film implements Media & Node & Named @odd(of: { a: 4 }, more: [{ a: 5 }]) { id: ID! implements(type: Int): Media }
union type = | Film | Empty
union Any = Film
scalar input
`;

test('a supergraph by its definitions has the parts that it has as a whole', () => {
  const definitions = parse(ODD_SDL).definitions.map((definition) => print(definition));
  const [whole, split] = [ODD_SDL, definitions].map((given) => {
    const parts = new SupergraphParts(given);
    const names = ['Query', 'Media', 'Node', 'Named', 'Empty', 'Film', 'type', 'Any', 'input', 'Odd', 'Fake', 'A'];
    return {
      base: parts.base,
      schema: parts.schema,
      widest: parts.widest,
      sorted: names.toSorted(parts.compare),
      types: names.map((name) => ({
        name,
        type: parts.type(name),
        objects: parts.objectsOf(name),
        isInterfaceObject: parts.isInterfaceObject(name),
      })),
    };
  });
  expect(split).toEqual(whole);
  expect(split?.base).toHaveLength(5);
  expect(split?.types.find(({ name }) => name === 'Node')).toMatchObject({
    objects: ['Empty', 'Film'],
    isInterfaceObject: false,
  });
  expect(split?.types.find(({ name }) => name === 'Media')).toMatchObject({
    objects: ['Film'],
    isInterfaceObject: true,
  });
});
