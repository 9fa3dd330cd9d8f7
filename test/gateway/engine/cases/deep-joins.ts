import type { DataObject, FieldScope } from '../strict-services.ts';
import type { Case } from './case.ts';

const people: DataObject[] = ['ana', 'rui', 'eva'].map((name, at) => ({
  __typename: 'Person',
  id: `p${at}`,
  name,
  opinions: () => opinions.slice(at, at + 2),
}));
const goods: DataObject[] = [0, 1, 2, 3].map((at) => ({
  __typename: 'Good',
  code: `g${at}`,
  name: `good ${at}`,
  price: at * 10,
  weight: at + 1,
  isStored: at % 2 === 0,
  postage: (_: unknown, { required }: FieldScope) => Number(required.price) * Number(required.weight),
  opinions: () => opinions.filter((_one, other) => other % 4 === at),
}));
const opinions: DataObject[] = [0, 1, 2, 3, 4, 5].map((at) => ({
  __typename: 'Opinion',
  id: `o${at}`,
  body: `body ${at}`,
  good: () => goods[at % 4],
  author: () => people[at % 3],
}));

const OPERATION = `fragment G on Good { code name price weight isStored postage } fragment P on Person { id name }
  fragment O on Opinion { id body }
  { people { ...P opinions { ...O good { ...G opinions { ...O author { ...P opinions { ...O good { ...G } } } } } } }
    best { ...G opinions { ...O author { ...P opinions { ...O good { ...G } } } } } }`;

/** People, their opinions of goods, and those of others: one operation that goes from service to service on two ways. */
export const DEEP_JOINS: Omit<Case, 'operations'> & { readonly text: string } = {
  name: 'deep joins',
  text: OPERATION,
  subgraphs: {
    people: 'type Query { people: [Person!]! } type Person @key(fields: "id") { id: ID! name: String }',
    goods:
      'type Query { best: [Good!]! } type Good @key(fields: "code") { code: ID! name: String price: Int weight: Int }',
    store: `type Good @key(fields: "code") { code: ID! price: Int @external weight: Int @external isStored: Boolean
      postage: Int @requires(fields: "price weight") }`,
    opinions: `type Opinion @key(fields: "id") { id: ID! body: String author: Person good: Good }
      type Person @key(fields: "id") { id: ID! opinions: [Opinion!]! }
      type Good @key(fields: "code") { code: ID! opinions: [Opinion!]! }`,
  },
  roots: { Query: { people, best: goods } },
  entities: [...people, ...goods, ...opinions],
};
