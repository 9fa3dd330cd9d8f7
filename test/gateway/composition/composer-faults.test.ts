import { describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

// What the composer does wrong, and the gateway therefore does itself. A test that fails here after an update of the package
// shows that the part of `gateway/planning/composition/` or `gateway/planning/supergraph/` that it names may go.

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@external",
  "@requires", "@interfaceObject"])\n`;

function composed(sdls: readonly string[], ...without: readonly string[]) {
  const services = sdls.map((sdl, index) => ({ name: 'abc'.charAt(index), typeDefs: parse(sdl) }));
  return composeServices(services, { disableValidationRules: [...without] });
}

function codesOf(...given: Parameters<typeof composed>): readonly unknown[] {
  return composed(...given).errors?.map(({ extensions }) => extensions.code) ?? [];
}

describe('the check of satisfiability (satisfiability.ts)', () => {
  const payload = [
    `${LINK} type Query { a: Int } type Mutation { m: Payload } type Payload { query: Query }`,
    `${LINK} type Query { b: Int }`,
  ];
  const shapes = 'interface Shape { x: Int } interface Round implements Shape { x: Int r: Int }';

  test('refuses the query in what a mutation returns', () => {
    expect(codesOf(payload)).toEqual(['SATISFIABILITY_ERROR']);
  });

  test('refuses requirements under a condition on an interface', () => {
    const circle = `${shapes} type Circle implements Shape & Round @shareable { x: Int r: Int }`;
    const sdls = [
      `${LINK} type Query { t: T } type T @key(fields: "id") { id: ID! shape: Shape } ${circle}`,
      `${LINK} type T @key(fields: "id") { id: ID! shape: Shape @external
        y: Int @requires(fields: "shape { ... on Round { r } }") } ${circle}`,
    ];
    expect(codesOf(sdls)).toEqual(['SATISFIABILITY_ERROR']);
    expect(codesOf(sdls, 'SatisfiabilityRule')).toEqual([]);
  });

  test('is a rule that can be left out', () => {
    expect(codesOf(payload, 'SatisfiabilityRule')).toEqual([]);
  });
});

describe('the check of the values of directives (directive-values.ts)', () => {
  const sdl = (value: string) =>
    `${LINK} directive @op(n: Int, id: ID, list: [String]) on FIELD_DEFINITION type Query { a: Int @op(${value}) }`;

  test.each(['n: null', 'id: "x"', 'list: [null]'])('refuses %s', (value) => {
    expect(codesOf([sdl(value)])).toEqual(['INVALID_GRAPHQL']);
    expect(codesOf([sdl(value)], 'ProvidedArgumentsOnDirectivesRule')).toEqual([]);
  });
});

test('versions of federation after 2.9 are unknown (federation-versions.ts)', () => {
  expect(codesOf([`${LINK.replace('v2.9', 'v2.10')} type Query { a: Int }`])).toEqual([
    'UNKNOWN_FEDERATION_LINK_VERSION',
  ]);
});

describe('of external fields the supergraph (external-fields.ts, restore-external.ts)', () => {
  /** The line of a field in the supergraph. */
  function lineOf(field: RegExp, sdls: readonly string[]): string {
    const { supergraphSdl = '' } = composed(sdls, 'SatisfiabilityRule');
    return supergraphSdl.split('\n').find((line) => field.test(line)) ?? '';
  }

  test('forgets those of interface objects', () => {
    const line = lineOf(/^ +z: Int/, [
      `${LINK} type I @key(fields: "id") @interfaceObject { id: ID! z: Int @external y: Int @requires(fields: "z") }`,
      `${LINK} type Query { i: I } interface I @key(fields: "id") { id: ID! z: Int }
       type T implements I @key(fields: "id") { id: ID! z: Int }`,
    ]);
    expect(line).toMatch(/z: Int$/);
  });

  test('forgets those of an extended type that another subgraph has in a key', () => {
    const line = lineOf(/^ +code: ID!/, [
      `${LINK} type Query { t: T } type T @key(fields: "id") @key(fields: "code") { id: ID! code: ID! }`,
      `extend type T @key(fields: "id") { id: ID! @external code: ID! @external x: Int @requires(fields: "code") }`,
    ]);
    expect(line).toMatch(/code: ID!$/);
  });
});
