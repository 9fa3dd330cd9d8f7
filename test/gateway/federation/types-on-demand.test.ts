import { afterAll, expect, test } from '@jest/globals';
import { parse, print, visit } from 'graphql';
import { composeSubgraphs } from '../../../gateway/planning/composition/index.ts';
import {
  outlineOf,
  readSupergraphTypes,
  type SupergraphTypes,
  typesOnDemand,
} from '../../../gateway/planning/supergraph/index.ts';
import { openLibrary } from './library.ts';

const library = await openLibrary();
afterAll(library.close);

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3",
  import: ["@key", "@external", "@requires", "@shareable", "@override", "@inaccessible", "@interfaceObject"])\n`;

const SUBGRAPHS = {
  catalogue: `type Query { media: [Media!]! found: [Found] }
    interface Media @key(fields: "id") { id: ID! title: String }
    interface Titled { title: String }
    type Film implements Media & Titled @key(fields: "id") { id: ID! title: String kind: Kind price: Money minutes: [[Int!]]! }
    type Song implements Media @key(fields: "id") @key(fields: "code { text }") { id: ID! title: String code: Code secret: Hidden @inaccessible }
    type Code @shareable { text: String }
    type Money @shareable { amount: Int }
    type Hidden @inaccessible { id: ID }
    union Found = Film | Song
    enum Kind { LONG SHORT ODD @inaccessible }
    scalar Date`,
  opinions: `type Query { latest: Media }
    type Media @key(fields: "id") @interfaceObject { id: ID! title: String @external likes: Int shout: String @requires(fields: "title") }`,
  prices: `type Query { cheapest: Found }
    type Film implements Titled @key(fields: "id") { id: ID! price: Money @override(from: "catalogue") title: String @external
      label: String @requires(fields: "title") since: Date }
    interface Titled { title: String since: Date }
    type Poem @key(fields: "id") { id: ID! }
    type Money @shareable { amount: Int }
    union Found = Film | Poem
    scalar Date`,
};

/** All that is said of every type, field and subgraph that is named anywhere, and of some that are not. */
function everything(types: SupergraphTypes, sdl: string, services: readonly string[]): unknown {
  const [typeNames, fieldNames, valueNames] = [
    new Set(['None', '']),
    new Set(['none', '__typename']),
    new Set(['NONE']),
  ];
  visit(parse(sdl), {
    ObjectTypeDefinition: ({ name }) => void typeNames.add(name.value),
    InterfaceTypeDefinition: ({ name }) => void typeNames.add(name.value),
    UnionTypeDefinition: ({ name }) => void typeNames.add(name.value),
    EnumTypeDefinition: ({ name }) => void typeNames.add(name.value),
    EnumValueDefinition: ({ name }) => void valueNames.add(name.value),
    FieldDefinition: ({ name }) => void fieldNames.add(name.value),
  });
  const fieldOf = (type: string, service: string) => (field: string) => types.type(type)?.in(service)?.field(field);
  return {
    services: types.services,
    types: [...typeNames].map((type) => ({
      type,
      kind: types.type(type)?.kind,
      isAbstract: types.isAbstract(type),
      isA: [...typeNames].filter((other) => types.isA(type, other)),
      objects: [...types.objectsOf(type)].sort(),
      keys: types.keysOf(type),
      isHidden: types.isHidden(type),
      hiddenValues: [...valueNames].filter((value) => types.isHidden(type, value)),
      hidesValues: types.hidesValues(type),
      fields: [...fieldNames].map((field) => types.type(type)?.fieldType(field)),
      in: services.map((service) => ({
        isInterfaceObject: types.type(type)?.in(service)?.isInterfaceObject,
        keys: types.type(type)?.in(service)?.keys,
        interfaces: [...(types.type(type)?.in(service)?.interfaces ?? [])].sort(),
        members: [...(types.type(type)?.in(service)?.unionMembers ?? [])].sort(),
        fields: [...fieldNames].map(fieldOf(type, service)),
        answers: [...fieldNames].filter((field) => types.answers(service, type, field)),
      })),
    })),
  };
}

function graphNames(sdl: string): ReadonlyMap<string, string> {
  return new Map(
    [...sdl.matchAll(/(\w+) @join__graph\(name: "(\w+)"/g)].map(([, value = '', name = '']) => [value, name]),
  );
}

test('types that are read when they are asked for are those of the whole composed supergraph', async () => {
  const composed = await composeSubgraphs(Object.entries(SUBGRAPHS).map(([name, sdl]) => ({ name, sdl: LINK + sdl })));
  if ('problems' in composed) throw new Error(JSON.stringify(composed.problems));
  const sdl = composed.supergraph.join('\n\n');
  const names = graphNames(sdl);
  const whole = everything(readSupergraphTypes(parse(sdl, { noLocation: true })), sdl, [...names.values()]);
  expect(everything(typesOnDemand(composed.supergraph, composed.outline, names), sdl, [...names.values()])).toEqual(
    whole,
  );
  expect(JSON.stringify(whole)).toContain('"isInterfaceObject":true');
});

test('so are those of a supergraph that others have composed', () => {
  const { supergraphSdl } = library;
  const document = parse(supergraphSdl, { noLocation: true });
  const definitions = document.definitions.map((definition) => print(definition));
  const names = graphNames(supergraphSdl);
  const services = [...names.values()];
  expect(everything(typesOnDemand(definitions, outlineOf(document), names), supergraphSdl, services)).toEqual(
    everything(readSupergraphTypes(document), supergraphSdl, services),
  );
});
