import type { FieldScope } from '../strict-services.ts';
import { byField, type Case } from './case.ts';

const ship = { __typename: 'Ship', id: 's1', flag: 'NO', cranes: () => [crane] };
const crane = {
  __typename: 'Crane',
  // The service that has it external knows another value.
  id: (_: unknown, { service }: FieldScope) => (service === 'berths' ? 'never' : 'k1'),
  reach: 40,
  serves: () => ship,
};
const THINGS: Readonly<Record<string, unknown>> = { s1: ship, k1: crane };
const thing = ({ id }: { id?: string }) => THINGS[id ?? ''] ?? null;

/** Two services share a root field of an interface, and each has the key of the other's type only as external. */
export const externalKeysOfSharedRoot: Case = {
  name: 'a shared root field of an interface whose types have external keys',
  subgraphs: {
    berths: `type Query { thing(id: ID!): Thing @shareable ship(id: ID!): Ship } interface Thing { id: ID! }
      type Ship implements Thing @key(fields: "id") { id: ID! flag: String! }
      type Crane implements Thing @key(fields: "id") { id: ID! @external serves: Ship! }`,
    cranes: `type Query { thing(id: ID!): Thing @shareable crane(id: ID!): Crane } interface Thing { id: ID! }
      type Ship implements Thing @key(fields: "id") { id: ID! @external cranes: [Crane!]! }
      type Crane implements Thing @key(fields: "id") { id: ID! reach: Int! }`,
  },
  roots: { Query: { thing, ship: byField([ship], 'id'), crane: () => crane } },
  entities: [ship, crane],
  operations: [
    { text: '{ thing(id: "k1") { id } }', expected: { data: { thing: { id: 'k1' } } }, mayBeRefused: true },
    { text: '{ thing(id: "s1") { id } }', expected: { data: { thing: { id: 's1' } } }, mayBeRefused: true },
    {
      text: '{ a: thing(id: "s1") { __typename } b: thing(id: "k1") { __typename } }',
      expected: { data: { a: { __typename: 'Ship' }, b: { __typename: 'Crane' } } },
    },
    {
      text: '{ a: thing(id: "s1") { ... on Ship { id flag } } b: thing(id: "k1") { ... on Crane { id reach } } }',
      expected: { data: { a: { id: 's1', flag: 'NO' }, b: { id: 'k1', reach: 40 } } },
    },
    {
      text: '{ a: thing(id: "s1") { ... on Crane { id } } b: thing(id: "k1") { ... on Ship { id } } }',
      expected: { data: { a: {}, b: {} } },
    },
    {
      text: '{ a: thing(id: "s1") { id ... on Crane { reach } } b: thing(id: "k1") { __typename ... on Ship { id } } }',
      expected: { data: { a: { id: 's1' }, b: { __typename: 'Crane' } } },
      mayBeRefused: true,
    },
    {
      text: '{ crane(id: "k1") { id reach serves { id flag } } }',
      expected: { data: { crane: { id: 'k1', reach: 40, serves: { id: 's1', flag: 'NO' } } } },
    },
    {
      text: '{ ship(id: "s1") { id flag cranes { id } } }',
      expected: { data: { ship: { id: 's1', flag: 'NO', cranes: [{ id: 'k1' }] } } },
    },
  ],
};

const plain = { __typename: 'Wait', minutes: '5 min' };
const ofRoad = { __typename: 'Drive', road: 'R 1' };
const ofSea = { __typename: 'Sail', wind: 'NW' };
/** The services do not agree about what they share: one may not be asked for what another one was to give. */
const legs = (_: unknown, { service }: FieldScope) => [plain, service === 'sea' ? ofSea : ofRoad];
const trip = {
  __typename: 'Trip',
  id: 't1',
  plan: { __typename: 'Plan', legs },
  crossing: { __typename: 'Plan', legs: [plain, ofSea] },
};
const legsSelected = '{ __typename ... on Wait { minutes } ... on Drive { road } ... on Sail { wind } }';
const shownPlain = { __typename: 'Wait', minutes: '5 min' };

/** Below shared fields, two services have different members of a union. */
export const unionBelowSharedFields: Case = {
  name: 'a union below shared fields of which each service has other members',
  subgraphs: {
    road: `type Query { byRoad: Trip any: Trip @shareable } type Trip @key(fields: "id") { id: ID! plan: Plan @shareable }
      type Plan @shareable { legs: [Leg!]! @shareable } union Leg = Wait | Drive
      type Wait @shareable { minutes: String } type Drive { road: String }`,
    sea: `type Query { bySea: Trip any: Trip @shareable }
      type Trip @key(fields: "id") { id: ID! plan: Plan @shareable crossing: Plan }
      type Plan @shareable { legs: [Leg!]! @shareable } union Leg = Wait | Sail
      type Wait @shareable { minutes: String } type Sail { wind: String }`,
  },
  roots: {
    Query: {
      byRoad: trip,
      bySea: trip,
      any: { ...trip, plan: { __typename: 'Plan', legs: [plain] } },
    },
  },
  entities: [trip],
  operations: [
    {
      text: `{ byRoad { plan { legs ${legsSelected} } } }`,
      expected: { data: { byRoad: { plan: { legs: [shownPlain, ofRoad] } } } },
    },
    {
      text: `{ bySea { plan { legs ${legsSelected} } } }`,
      expected: { data: { bySea: { plan: { legs: [shownPlain, ofSea] } } } },
    },
    {
      text: '{ byRoad { plan { legs { __typename ... on Sail { wind } } } } }',
      expected: { data: { byRoad: { plan: { legs: [{ __typename: 'Wait' }, { __typename: 'Drive' }] } } } },
    },
    {
      text: `{ any { plan { legs ${legsSelected} } } }`,
      expected: { data: { any: { plan: { legs: [shownPlain] } } } },
    },
    {
      text: `{ byRoad { crossing { legs ${legsSelected} } } }`,
      expected: { data: { byRoad: { crossing: { legs: [shownPlain, ofSea] } } } },
    },
  ],
};
