import type { StrictGraph } from '../strict-services.ts';
import { type HostileCase, times } from './hostile-case.ts';

/** An interface one type of which requires something for a field, so that each level may need each type by itself. */
export function interfaces(count: number, depth: number, form: 'field' | 'each type'): HostileCase {
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
export function interfacesApart(count: number, depth: number): HostileCase {
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
export function keyRing(count: number): HostileCase {
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
export function keyMesh(count: number): HostileCase {
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

export const sizes: readonly HostileCase[] = [
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
export function sharedType(count: number, depth: number): HostileCase {
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
export function unions(count: number, depth: number): HostileCase {
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
export function interfaceObjects(count: number, depth: number): HostileCase {
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
