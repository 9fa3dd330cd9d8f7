import { expect, test } from '@jest/globals';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import fc from 'fast-check';
import { type FieldNode, getOperationAST, Kind, parse, print } from 'graphql';
import { responseObject } from '../../../gateway/planning/joins/index.ts';
import { responseKey } from '../../../gateway/planning/joins/plan/index.ts';
import { compileSharing, RepeatedObjects } from '../../../gateway/planning/joins/sharing/index.ts';
import { readSupergraphTypes } from '../../../gateway/planning/supergraph/index.ts';
import { openFederatedGraph } from './open-federated-graph.ts';
import { sending } from './sending.ts';

/** People who know each other, as the first service returns them: one person at two positions need not be the same. */
interface Person {
  readonly __typename: 'Person';
  readonly id: string | null;
  readonly nick: string | null;
  readonly tags: readonly string[];
  readonly meta: unknown;
  readonly home: { readonly id: string; readonly street: string } | null;
  readonly pet: { readonly __typename: 'Cat' | 'Dog'; readonly id: string; readonly legs: number } | null;
  readonly friends: readonly (Person | null)[];
}

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires"])\n';
const SDL = {
  people: `scalar Json type Query { people: [Person] }
    type Person @key(fields: "id") { id: ID nick: String tags: [String!] meta: Json home: Home pet: Pet friends: [Person] }
    type Home @key(fields: "id") { id: ID! street: String @shareable }
    interface Pet { id: ID! } type Cat implements Pet @key(fields: "id") { id: ID! legs: Int }
    type Dog implements Pet @key(fields: "id") { id: ID! legs: Int }`,
  names: `type Person @key(fields: "id") { id: ID name: String sure: String! nick: String @external
      greeting: String @requires(fields: "nick") }
    type Home @key(fields: "id") { id: ID! city: String }
    type Cat @key(fields: "id") { id: ID! sound: String }`,
};

const PET = 'pet { __typename id ... on Cat { legs sound } ... on Dog { legs } }';
const FIELDS = `id nick tags meta home { street city } ${PET}`;
const DOCUMENT = `{ people { ${FIELDS} name also: friends { nick } friends { ${FIELDS} name greeting friends { ${FIELDS} sure } } } }`;

/** What the second service has of an entity, by its id: null of some, an error of others. */
function ownOf(kind: string, id: string): string | null {
  if (id === 'null') return null;
  if (id === 'error') throw new Error(`no ${kind}`);
  return `${kind} of ${id}`;
}

function rootFieldsOf(query: string): readonly FieldNode[] {
  const operation = getOperationAST(parse(query));
  return (operation?.selectionSet.selections ?? []).filter((one) => one.kind === Kind.FIELD);
}

/** Long replies are parsed so that equal texts become one object. */
const WAYS = [
  ['short texts', (json: string) => json],
  ['long replies', (json: string) => [Buffer.from(json), Buffer.alloc(16 * 1024, ' ')]],
] as const;

function openGraph(replyOf: (typeof WAYS)[number][1] = WAYS[0][1]) {
  const services = Object.entries(SDL).map(([name, typeDefs]) => ({ name, typeDefs: parse(LINK + typeDefs), url: '' }));
  const composed = composeServices(services);
  if (compositionHasErrors(composed)) throw new TypeError(composed.errors.join());
  let people: readonly (Person | null)[] = [];
  const calls = { people: 0, names: 0, entities: 0 };
  const graph = openFederatedGraph<undefined>(
    composed.supergraphSdl,
    sending(async (subgraph, body) => {
      if (subgraph === 'people') {
        calls.people++;
        return replyOf(JSON.stringify({ data: { people: people.map((one) => one && { ...one, also: one.friends }) } }));
      }
      calls.names++;
      const { query, variables } = JSON.parse(body);
      const data: Record<string, unknown> = {};
      const errors: unknown[] = [];
      for (const asked of rootFieldsOf(query)) {
        const alias = responseKey(asked);
        const [representations] = asked.arguments ?? [];
        const variable = representations && print(representations.value).slice(1);
        const selected = print(asked);
        calls.entities += variables[variable ?? ''].length;
        data[alias] = variables[variable ?? ''].map(({ __typename, id, nick }: Record<string, string>, at: number) => {
          const field = { Person: 'name', Home: 'city', Cat: 'sound' }[__typename ?? ''] ?? '';
          const others = { __typename, sure: `sure ${id}`, greeting: nick === null ? null : `Hello ${nick}` };
          try {
            return { ...others, ...(selected.includes(field) && { [field]: ownOf(field, id ?? '') }) };
          } catch (error) {
            errors.push({ message: (error as Error).message, path: [alias, at, field] });
            return { ...others, [field]: null };
          }
        });
      }
      return replyOf(JSON.stringify({ data, ...(errors.length > 0 && { errors }) }));
    }),
  );
  const prepared = graph.prepare(DOCUMENT);
  const run = async (given: readonly (Person | null)[]) => {
    people = given;
    calls.entities = 0;
    return responseObject(await prepared.run({}, undefined));
  };
  return { run, calls };
}

/** The response, worked out position by position. */
function expectedOf(people: readonly (Person | null)[]) {
  const paths: string[] = [];
  const own = (kind: string, id: string | null, path: string): string | null => {
    if (id === null) return null;
    try {
      return ownOf(kind, id);
    } catch {
      paths.push(`${path}.${kind}`);
      return null;
    }
  };
  const fields = ({ id, nick, tags, meta, home, pet }: Person, path: string) => ({
    id,
    nick,
    tags,
    meta,
    home: home && { street: home.street, city: own('city', home.id, `${path}.home`) },
    pet: pet && {
      __typename: pet.__typename,
      id: pet.id,
      legs: pet.legs,
      ...(pet.__typename === 'Cat' && { sound: own('sound', pet.id, `${path}.pet`) }),
    },
  });
  const data = people.map((one, at) => {
    if (!one) return null;
    const path = `people.${at}`;
    return {
      ...fields(one, path),
      name: own('name', one.id, path),
      also: one.friends.map((friend) => friend && { nick: friend.nick }),
      friends: one.friends.map((friend, nth) => {
        if (!friend) return null;
        const below = `${path}.friends.${nth}`;
        return {
          ...fields(friend, below),
          name: own('name', friend.id, below),
          greeting: friend.id === null || friend.nick === null ? null : `Hello ${friend.nick}`,
          friends: friend.friends.map((last, index) => {
            if (!last) return null;
            const found = fields(last, `${below}.friends.${index}`);
            return last.id === null ? null : { ...found, sure: `sure ${last.id}` };
          }),
        };
      }),
    };
  });
  return { data: { people: data }, paths };
}

const STREET = 'a street whose name makes the texts of homes long';
const ids = fc.constantFrom('1', '2', '3', 'null', 'error');
const personWith = (friends: fc.Arbitrary<readonly (Person | null)[]>): fc.Arbitrary<Person> =>
  fc.record({
    __typename: fc.constant('Person' as const),
    id: fc.oneof({ weight: 9, arbitrary: ids }, { weight: 1, arbitrary: fc.constant(null) }),
    nick: fc.constantFrom('a', 'a', 'a', 'b', null),
    tags: fc.constantFrom([], ['x'], ['x'], ['y']),
    meta: fc.constantFrom(null, 1, { deep: [1] }, { deep: [2] }),
    home: fc.constantFrom(null, { id: '1', street: STREET }, { id: '1', street: STREET }, { id: '1', street: 't' }),
    pet: fc.constantFrom(
      null,
      { __typename: 'Cat' as const, id: '1', legs: 4 },
      { __typename: 'Dog' as const, id: '1', legs: 4 },
      { __typename: 'Cat' as const, id: 'error', legs: 3 },
    ),
    friends,
  });
const leaves = personWith(fc.constant([]));
const friendsOf = (person: fc.Arbitrary<Person>) => fc.array(fc.option(person, { freq: 9 }), { maxLength: 6 });
const people = friendsOf(personWith(friendsOf(personWith(friendsOf(leaves)))));

const RUNS = Number(process.env.FEDERATION_RUNS ?? 300);

test.each(WAYS)('objects that stand at several positions have the values of their position: %s', async (_, replyOf) => {
  const { run } = openGraph(replyOf);
  await fc.assert(
    fc.asyncProperty(people, async (given) => {
      const { data, errors = [] } = await run(given);
      const expected = expectedOf(given);
      expect(data).toEqual(expected.data);
      const paths = errors.filter(({ message }) => message.startsWith('no ')).map(({ path = [] }) => path.join('.'));
      expect(new Set(paths)).toEqual(new Set(expected.paths));
    }),
    { numRuns: RUNS },
  );
});

const person = (id: string, friends: readonly Person[], nick = 'a'): Person => ({
  ...{ __typename: 'Person', id, nick, tags: ['x'], meta: null, pet: null, friends },
  home: { id: `home of ${id}`, street: STREET },
});

test.each(WAYS)('entities are asked for once, however often they stand in the response: %s', async (_, replyOf) => {
  const { run, calls } = openGraph(replyOf);
  const friends = Array.from({ length: 20 }, (_, at) => person(`friend ${at}`, [person('last', [])]));
  const given = Array.from({ length: 50 }, (_, at) => person(`one ${at}`, friends));
  const { data, errors } = await run(given);
  expect(errors).toBeUndefined();
  expect(data).toEqual(expectedOf(given).data);
  // 71 people by what is asked of them and 71 homes; friends are asked for their greeting too.
  expect(calls.entities).toBeLessThanOrEqual(2 * 71 + 20);
});

test.each(WAYS)('one object with two contents is two objects: %s', async (_, replyOf) => {
  const { run } = openGraph(replyOf);
  const given = [person('1', [person('2', [], 'x')]), person('3', [person('2', [], 'y'), person('2', [], 'x')])];
  const { data } = await run(given);
  expect(data).toEqual(expectedOf(given).data);
});

test('what depends on who holds an object stays apart', async () => {
  const services = {
    people: `type Query { people: [Person!] } type Person @key(fields: "id") { id: ID! desk: Desk @shareable friends: [Person!] }
      type Desk { id: ID! @shareable room: String }`,
    notes: `type Person @key(fields: "id") { id: ID! desk: Desk @shareable } type Desk { id: ID! @shareable note: String }`,
  };
  const composed = composeServices(
    Object.entries(services).map(([name, typeDefs]) => ({ name, typeDefs: parse(LINK + typeDefs), url: '' })),
  );
  if (compositionHasErrors(composed)) throw new TypeError(composed.errors.join());
  const desk = { id: 'one desk', room: 'r' };
  const friend = (id: string) => ({ __typename: 'Person', id, desk, friends: [] });
  const people = ['1', '2'].map((id) => ({ ...friend(id), friends: [friend(`${id} a`), friend(`${id} b`)] }));
  const graph = openFederatedGraph<undefined>(
    composed.supergraphSdl,
    sending(async (subgraph, body) => {
      if (subgraph === 'people') return JSON.stringify({ data: { people } });
      const { query, variables } = JSON.parse(body);
      const data = Object.fromEntries(
        rootFieldsOf(query).map((asked, at): [string, unknown] => {
          const given = variables.representations ?? variables[`representations${at}`];
          const notes = given.map(({ id }: { id: string }) => ({ desk: { id: desk.id, note: `note for ${id}` } }));
          return [responseKey(asked), notes];
        }),
      );
      return JSON.stringify({ data });
    }),
  );
  const { data } = responseObject(
    await graph.prepare('{ people { desk { room note } friends { id desk { id room note } } } }').run({}, undefined),
  );
  const noted = (id: string) => ({ room: 'r', note: `note for ${id}` });
  expect(data).toEqual({
    people: people.map(({ id, friends }) => ({
      desk: noted(id),
      friends: friends.map((one) => ({ id: one.id, desk: { id: desk.id, ...noted(one.id) } })),
    })),
  });
});

test('what is fetched for an object by the type around it stays apart', async () => {
  const services = {
    items: `type Query { items: [Item!] } interface Item { id: ID! } type Child @key(fields: "id") { id: ID! }
      type A implements Item { id: ID! child: Child } type B implements Item { id: ID! child: Child }`,
    prices: 'type Child @key(fields: "id") { id: ID! price(in: String): String }',
  };
  const composed = composeServices(
    Object.entries(services).map(([name, typeDefs]) => ({ name, typeDefs: parse(LINK + typeDefs), url: '' })),
  );
  if (compositionHasErrors(composed)) throw new TypeError(composed.errors.join());
  const items = ['A', 'B', 'A', 'B'].map((__typename, at) => ({ __typename, id: `${at}`, child: { id: 'c' } }));
  const graph = openFederatedGraph<undefined>(
    composed.supergraphSdl,
    sending(async (subgraph, body) => {
      if (subgraph === 'items')
        return JSON.stringify({
          data: { items: items.map((item) => ({ ...item, child: { __typename: 'Child', ...item.child } })) },
        });
      const { query } = JSON.parse(body);
      const data = rootFieldsOf(query).map((asked): [string, unknown] => {
        const currency = print(asked).includes('USD') ? 'USD' : 'EUR';
        const key = /(\w+): price/.exec(print(asked))?.[1] ?? 'price';
        return [responseKey(asked), [{ [key]: currency }]];
      });
      return JSON.stringify({ data: Object.fromEntries(data) });
    }),
  );
  const selected = (currency: string) => `{ child { id z: price(in: "${currency}") } }`;
  const operation = `{ items { ... on A ${selected('USD')} ... on B ${selected('EUR')} } }`;
  const { data } = responseObject(await graph.prepare(operation).run({}, undefined));
  const z = (value: string) => ({ child: { id: 'c', z: value } });
  expect(data).toEqual({ items: [z('USD'), z('EUR'), z('USD'), z('EUR')] });
});

test('comparing takes no longer the deeper a service lets objects differ', () => {
  const sdl = 'type Query { roots: [Node] } type Node @key(fields: "id") { id: ID! leaf: Int next: [Node] }';
  const composed = composeServices([{ name: 'nodes', typeDefs: parse(LINK + sdl), url: '' }]);
  if (compositionHasErrors(composed)) throw new TypeError(composed.errors.join());
  const types = readSupergraphTypes(parse(composed.supergraphSdl, { noLocation: true }));
  const levels = 60;
  const selection = (left: number): string => `{ id leaf ${left > 0 ? `next ${selection(left - 1)}` : ''} }`;
  const fields = getOperationAST(parse(`{ roots ${selection(levels)} }`))?.selectionSet.selections ?? [];
  const places = Array.from({ length: levels + 1 }, (_, at) => ['roots', ...Array(at).fill('next')].join(' '));
  const fetch = { service: 'nodes', path: [], selections: fields };
  const { share } = compileSharing(fetch, 'Query', new Set(places), types);
  let reads = 0;
  // All have the same id, and one of each pair of chains differs at its end.
  const chain = (left: number, end: number): object => ({
    id: 'same',
    get leaf() {
      reads++;
      return left > 0 ? 0 : end;
    },
    ...(left > 0 && { next: [chain(left - 1, end)] }),
  });
  const chains = Array.from({ length: 200 }, (_, at) => chain(levels, at % 2));
  share?.({ roots: chains } as never, new RepeatedObjects());
  expect(reads).toBeLessThanOrEqual(2 * chains.length * (levels + 1));
});
