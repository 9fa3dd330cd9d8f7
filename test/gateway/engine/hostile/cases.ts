import { Random } from '../../generated/supergraphs/random.ts';
import type { DataObject, FieldScope, StrictGraph } from '../strict-services.ts';

/** An operation that a caller may send to make planning take long. */
export interface HostileCase {
  readonly family: string;
  readonly name: string;
  readonly subgraphs: StrictGraph['subgraphs'];
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The data that its answer is checked with, where it is. */
  readonly data?: Pick<StrictGraph, 'roots' | 'entities'>;
}

const times = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));

/** An object whose fields are sums of what they require. */
function summing(type: string, fields: readonly string[]): DataObject {
  const values = fields.map((name, at) => [
    name,
    (_: unknown, { required }: FieldScope) =>
      Object.values(required).reduce((sum: number, one) => sum + Number(one), at + 1),
  ]);
  return { __typename: type, id: '1', ...Object.fromEntries(values) };
}

/** The graph that showed that chains of requirements stop a planner: two services require fields of each other. */
const post: StrictGraph['subgraphs'] = {
  post: `type Query { parcel: Parcel parcels: [Parcel!]! } type Mutation { send: Parcel }
    type Parcel @key(fields: "id") { id: ID! grams: Int price: Int @external fee: Int @external
      zone: Int @requires(fields: "price") tax: Int @requires(fields: "price") total: Int @requires(fields: "price fee") }`,
  carrier: `type Parcel @key(fields: "id") { id: ID! grams: Int @external zone: Int @external
    price: Int @requires(fields: "grams") fee: Int @requires(fields: "zone") }`,
};

const parcelFields = ['total', 'zone', 'tax', 'fee', 'price', 'grams'];

const parcel = summing('Parcel', parcelFields);
const parcelData = {
  roots: { Query: { parcel, parcels: [parcel, parcel] }, Mutation: { send: parcel } },
  entities: [parcel],
};

/** Each set of fields of that graph. */
const parcels: readonly HostileCase[] = times(2 ** parcelFields.length - 1, (at) => {
  const selected = parcelFields.filter((_, bit) => ((at + 1) >> bit) % 2 === 1).join(' ');
  return { family: 'parcel', name: selected, subgraphs: post, text: `{ parcel { ${selected} } }`, data: parcelData };
});

/**
 * Chains of requirements beside each other: the fields of each are of two services in turn.
 * @param back how many of the fields before it a field requires, as far as the other service has them
 */
function chains(length: number, count: number, back: number, selected: 'ends' | 'all'): HostileCase {
  const names = times(count, (chain) => times(length, (at) => `c${chain}f${at}`));
  // What a service has itself it need not require.
  const required = (chain: readonly string[], at: number) =>
    chain.slice(Math.max(0, at - back), at).filter((_, before) => (Math.max(0, at - back) + before + at) % 2 === 1);
  const fieldsOf = (side: number) => {
    const own = names.flatMap((chain) =>
      chain.flatMap((name, at) => (at % 2 === side ? [{ name, needs: required(chain, at) }] : [])),
    );
    const texts = own.map(({ name, needs }) =>
      needs.length > 0 ? `${name}: Int @requires(fields: "${needs.join(' ')}")` : `${name}: Int`,
    );
    return [...texts, ...[...new Set(own.flatMap(({ needs }) => needs))].map((name) => `${name}: Int @external`)];
  };
  const last = names.map((chain) => chain.at(-1) ?? '');
  return {
    family: 'chains',
    name: `${count} of ${length}, requiring ${back} back, ${selected} selected`,
    subgraphs: {
      even: `type Query { thing: Thing } type Thing @key(fields: "id") { id: ID! ${fieldsOf(0).join(' ')} }`,
      odd: `type Thing @key(fields: "id") { id: ID! ${fieldsOf(1).join(' ')} }`,
    },
    text: `{ thing { ${(selected === 'ends' ? last : names.flat()).join(' ')} } }`,
  };
}

/** Fields of several services that require random ones of the others. */
function tangle(seed: number): HostileCase {
  const random = new Random(seed);
  const services = ['alpha', 'bravo', 'carol', 'delta'].slice(0, 2 + random.below(3));
  const fields = times(4 + random.below(16), (at) => ({
    name: `f${at}`,
    owner: random.oneOf(services),
    required:
      at === 0
        ? []
        : random.some(
            times(at, (one) => `f${one}`),
            1 + random.below(3),
          ),
  }));
  const sdlOf = (service: string, at: number) => {
    const own = fields.filter(({ owner }) => owner === service);
    // What a service has itself it need not require.
    const needed = (required: readonly string[]) =>
      required.filter((name) => fields.some((one) => one.name === name && one.owner !== service));
    const external = new Set(own.flatMap(({ required }) => needed(required)));
    const texts = own.map(({ name, required }) => {
      const others = needed(required);
      return `${name}: Int${others.length > 0 ? ` @requires(fields: "${others.join(' ')}")` : ''}`;
    });
    const root = at === 0 ? 'type Query { thing: Thing things: [Thing!]! } ' : '';
    const all = [...texts, ...[...external].map((name) => `${name}: Int @external`)];
    return `${root}type Thing @key(fields: "id") { id: ID! ${all.join(' ')} }`;
  };
  const thing = summing(
    'Thing',
    fields.map(({ name }) => name),
  );
  const selected = random.some(
    fields.map(({ name }) => name),
    1 + random.below(fields.length),
  );
  return {
    family: 'tangles',
    name: `seed ${seed}`,
    subgraphs: Object.fromEntries(services.map((service, at) => [service, sdlOf(service, at)])),
    data: { roots: { Query: { thing, things: [thing] } }, entities: [thing] },
    text: `{ thing { ${selected.join(' ')} } things { ${selected.slice(0, 3).join(' ')} } }`,
  };
}

/** An interface one type of which requires something for a field, so that each level may need each type by itself. */
function interfaces(count: number, depth: number, form: 'field' | 'each type'): HostileCase {
  const types = times(count, (at) => `Type${at}`);
  const items = types.map((name, at) => {
    const own = at === 0 ? 'amount: Int @external similar: Item @requires(fields: "amount")' : 'similar: Item';
    return `type ${name} implements Item @key(fields: "id") { id: ID! ${own} }`;
  });
  const level = (left: number): string => {
    if (left === 0) return '{ id }';
    if (form === 'field') return `{ similar ${level(left - 1)} }`;
    return `{ __typename similar ${level(left - 1)} ${types.map((name) => `... on ${name} { amount }`).join(' ')} }`;
  };
  return {
    family: 'interfaces',
    name: `${count} types, ${depth} levels, by ${form}`,
    subgraphs: {
      items: `type Query { item: Item } interface Item { id: ID! similar: Item } ${items.join('\n')}`,
      stock: types.map((name) => `type ${name} @key(fields: "id") { id: ID! amount: Int }`).join('\n'),
    },
    text: `{ item ${level(depth)} }`,
  };
}

/** Another service has the field of an interface: each level goes there and back. */
function interfacesApart(count: number, depth: number): HostileCase {
  const types = (fields: string) =>
    times(count, (at) => `type Type${at} implements Item @key(fields: "id") { id: ID! ${fields} }`).join('\n');
  const level = (left: number): string => (left === 0 ? '{ name }' : `{ name similar ${level(left - 1)} }`);
  return {
    family: 'interfaces',
    name: `${count} types, ${depth} levels, of another service`,
    subgraphs: {
      items: `type Query { item: Item } interface Item { id: ID! name: String } ${types('name: String')}`,
      links: `interface Item { id: ID! similar: Item } ${types('similar: Item')}`,
    },
    text: `{ item ${level(depth)} }`,
  };
}

/** Services in a ring: each knows its own key and that of the next. */
function keyRing(count: number): HostileCase {
  const subgraphs = times(count, (at): [string, string] => {
    const [own, next] = [`k${at}`, `k${(at + 1) % count}`];
    const root = at === 0 ? 'type Query { node: Node } ' : '';
    return [
      `s${at}`,
      `${root}type Node @key(fields: "${own}") @key(fields: "${next}") { ${own}: ID! ${next}: ID! f${at}: Int near: Node @shareable }`,
    ];
  });
  const selected = times(count, (at) => `f${count - 1 - at}`).join(' ');
  return {
    family: 'keys',
    name: `a ring of ${count}`,
    subgraphs: Object.fromEntries(subgraphs),
    text: `{ node { ${selected} near { ${selected} near { ${selected} near { ${selected} } } } } }`,
  };
}

/** Any service has any key, and the keys of two services contain each other's entities. */
function keyMesh(count: number): HostileCase {
  const keys = times(6, (at) => `@key(fields: "a${at}") @key(fields: "a${at} a${(at + 1) % 6}")`).join(' ');
  const fields = times(6, (at) => `a${at}: ID!`).join(' ');
  const nested = '@key(fields: "node { a0 }")';
  const subgraphs = times(count, (at): [string, string] => [
    `s${at}`,
    `${at === 0 ? 'type Query { node: Node } ' : ''}type Node ${keys} { ${fields} f${at}: Int tie: Tie @shareable }
      type Tie ${nested} { node: Node! @shareable t${at}: Int }`,
  ]);
  const own = times(count, (at) => `f${at}`).join(' ');
  const ties = times(count, (at) => `t${at}`).join(' ');
  const level = (left: number): string =>
    left === 0 ? '{ a0 }' : `{ ${own} tie { ${ties} node ${level(left - 1)} } }`;
  return {
    family: 'keys',
    name: `${count} services with 12 keys each, and a key that contains another entity`,
    subgraphs: Object.fromEntries(subgraphs),
    text: `{ node ${level(4)} }`,
  };
}

const pair: StrictGraph['subgraphs'] = {
  one: 'type Query { thing(n: Int): Thing } type Mutation { make(n: Int): Thing } type Thing @key(fields: "id") { id: ID! name(n: Int): String next: Thing }',
  two: 'type Thing @key(fields: "id") { id: ID! name(n: Int): String @external size(n: Int): Int label(n: Int): String @requires(fields: "name(n: 7)") }',
};

const sizes: readonly HostileCase[] = [
  { name: '1000 aliases of a root field', text: `{ ${times(1000, (at) => `a${at}: thing { id }`).join(' ')} }` },
  {
    name: '1000 aliases of a root field with a join',
    text: `{ ${times(1000, (at) => `a${at}: thing(n: ${at}) { size }`).join(' ')} }`,
  },
  {
    name: '1000 aliases of a joined field',
    text: `{ thing { ${times(1000, (at) => `a${at}: size(n: ${at})`).join(' ')} } }`,
  },
  {
    name: '1000 aliases of a field with requirements',
    text: `{ thing { ${times(1000, (at) => `a${at}: label(n: ${at}) b${at}: name(n: ${at})`).join(' ')} } }`,
  },
  {
    name: '200 levels',
    text: `{ thing ${times(200, () => '{ size next ').join('')}{ id }${times(200, () => ' }').join('')} }`,
  },
  {
    name: '300 mutations with joins',
    text: `mutation { ${times(300, (at) => `a${at}: make(n: ${at}) { size label }`).join(' ')} }`,
  },
  {
    name: 'fragments of 30 levels that each spread the next one twice',
    text: `{ thing { ...F0 } } ${times(30, (at) => `fragment F${at} on Thing { ...F${at + 1} a${at}: size next { id } ...F${at + 1} }`).join(' ')} fragment F30 on Thing { size }`,
  },
  {
    name: 'fragments of 20 levels that each spread the next one below two fields',
    text: `{ thing { ...F0 } } ${times(20, (at) => `fragment F${at} on Thing { a: next { ...F${at + 1} } b: next { ...F${at + 1} } }`).join(' ')} fragment F20 on Thing { size }`,
  },
  {
    name: '40 conditions on joined fields',
    text: `query (${times(40, (at) => `$v${at}: Boolean!`).join(' ')}) { thing { ${times(40, (at) => `a${at}: size(n: ${at}) @skip(if: $v${at}) b${at}: next @include(if: $v${at}) { label }`).join(' ')} } }`,
    variables: Object.fromEntries(times(40, (at) => [`v${at}`, at % 3 === 0])),
  },
].map((one) => ({ family: 'sizes', subgraphs: pair, ...one }));

/** All subgraphs have the same type, its shared fields, and one field of their own. */
function sharedType(count: number, depth: number): HostileCase {
  const shared = times(10, (at) => `s${at}: Int @shareable`).join(' ');
  const subgraphs = times(count, (at): [string, string] => [
    `g${at}`,
    `type Query { any: Common @shareable own${at}: Common }
      type Common @key(fields: "id") @key(fields: "code") { id: ID! code: ID! ${shared} next: Common @shareable f${at}: Int }`,
  ]);
  const own = [...times(count, (at) => `f${at}`), ...times(10, (at) => `s${at}`)].join(' ');
  const level = (left: number): string => `{ ${own}${left === 0 ? '' : ` next ${level(left - 1)}`} }`;
  return {
    family: 'shared types',
    name: `${count} subgraphs, ${depth} levels`,
    subgraphs: Object.fromEntries(subgraphs),
    text: `{ any ${level(depth)} own1 ${level(1)} }`,
  };
}

/** Unions of many members, each with fields of several services, below each other. */
function unions(count: number, depth: number): HostileCase {
  const names = times(count, (at) => `Member${at}`);
  const level = (left: number): string =>
    `{ ${names.map((name, at) => `... on ${name} { x${at} y${at} ${left > 0 && at < 3 ? `near ${level(left - 1)}` : ''} }`).join(' ')} }`;
  return {
    family: 'unions',
    name: `${count} members, ${depth} levels`,
    subgraphs: {
      x: `type Query { some: [Any!]! } union Any = ${names.join(' | ')} ${names.map((name, at) => `type ${name} @key(fields: "id") { id: ID! x${at}: Int near: Any }`).join('\n')}`,
      y: names.map((name, at) => `type ${name} @key(fields: "id") { id: ID! y${at}: Int }`).join('\n'),
    },
    text: `{ some ${level(depth)} }`,
  };
}

/** Interface objects that require fields of each other, over an interface of many types. */
function interfaceObjects(count: number, depth: number): HostileCase {
  const types = times(
    count,
    (at) => `type Type${at} implements Item @key(fields: "id") { id: ID! next: Item own${at}: Int }`,
  );
  const each = times(count, (at) => `... on Type${at} { own${at} a b c }`).join(' ');
  const level = (left: number): string => `{ a c ${each}${left === 0 ? '' : ` next ${level(left - 1)}`} }`;
  return {
    family: 'interface objects',
    name: `${count} types, ${depth} levels`,
    subgraphs: {
      items: `type Query { item: Item } interface Item @key(fields: "id") { id: ID! next: Item } ${types.join('\n')}`,
      first:
        'type Item @interfaceObject @key(fields: "id") { id: ID! a: Int b: Int @external c: Int @requires(fields: "b") }',
      second:
        'type Item @interfaceObject @key(fields: "id") { id: ID! a: Int @external b: Int @requires(fields: "a") }',
    },
    text: `{ item ${level(depth)} }`,
  };
}

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...parcels,
  ...[4, 16, 40].flatMap((length) =>
    [1, 2, 8].flatMap((count) =>
      [1, 5].flatMap((back) => (['ends', 'all'] as const).map((one) => chains(length, count, back, one))),
    ),
  ),
  ...times(30, tangle),
  ...[2, 5, 20].flatMap((count) =>
    [6, 12].flatMap((depth) => [
      interfaces(count, depth, 'field'),
      interfaces(count, depth, 'each type'),
      interfacesApart(count, depth),
    ]),
  ),
  keyRing(4),
  keyRing(12),
  keyMesh(3),
  keyMesh(8),
  ...sizes,
  sharedType(5, 2),
  sharedType(30, 0),
  sharedType(30, 4),
  unions(10, 2),
  unions(60, 1),
  unions(60, 4),
  interfaceObjects(3, 2),
  interfaceObjects(30, 4),
];
