import { Random } from '../../generated/supergraphs/random.ts';
import type { DataObject, FieldScope, StrictGraph } from '../strict-services.ts';
import { type HostileCase, times } from './hostile-case.ts';

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
export const parcels: readonly HostileCase[] = times(2 ** parcelFields.length - 1, (at) => {
  const selected = parcelFields.filter((_, bit) => ((at + 1) >> bit) % 2 === 1).join(' ');
  return { family: 'parcel', name: selected, subgraphs: post, text: `{ parcel { ${selected} } }`, data: parcelData };
});

/**
 * Chains of requirements beside each other: the fields of each are of two services in turn.
 * @param back how many of the fields before it a field requires, as far as the other service has them
 */
export function chains(length: number, count: number, back: number, selected: 'ends' | 'all'): HostileCase {
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
export function tangle(seed: number): HostileCase {
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
