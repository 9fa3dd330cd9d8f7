import { expect, test } from '@jest/globals';
import { federate, type Subgraph, type World } from './world.ts';

async function inWorld(subgraphs: Record<string, Subgraph>, story: (world: World) => Promise<void>): Promise<void> {
  const world = await federate(subgraphs);
  try {
    await story(world);
  } finally {
    await world.close();
  }
}

type Reference = Record<string, unknown>;
const own = (reference: Reference) => reference;

test('subgraphs of the first version of federation extend types of others', async () => {
  await inWorld(
    {
      users: {
        version: 1,
        sdl: 'type Query { me: User } type User @key(fields: "id") { id: ID! name: String rid: ID }',
        resolvers: {
          Query: { me: () => ({ id: 'u1', name: 'Jo', rid: 'r1' }) },
          User: { __resolveReference: ({ id }: Reference) => ({ id, name: `ref ${id}`, rid: 'r2' }) },
        },
      },
      reviews: {
        version: 1,
        sdl: `extend type Query { latest: Review random: User @provides(fields: "name") }
          extend type User @key(fields: "id") { id: ID! @external name: String @external rid: ID @external
            reviews: [Review] badge: String @requires(fields: "name rid") }
          type Review { text: String author: User @provides(fields: "name") }`,
        resolvers: {
          Query: {
            latest: () => ({ text: 'ok', author: { id: 'u2', name: 'provided' } }),
            random: () => ({ id: 'u3', name: 'provided too' }),
          },
          User: {
            __resolveReference: own,
            reviews: () => [{ text: 'fine' }],
            badge: ({ name, rid }: Reference) => `${name}/${rid}`,
          },
        },
      },
    },
    async (world) => {
      expect(
        await world.ask('{ me { badge reviews { text } } latest { author { name } } random { name rid } }'),
      ).toEqual({
        data: {
          me: { badge: 'Jo/r1', reviews: [{ text: 'fine' }] },
          latest: { author: { name: 'provided' } },
          random: { name: 'provided too', rid: 'r2' },
        },
      });
      expect(world.counts()).toEqual({ users: 2, reviews: 2 });
    },
  );
});

test('a field that a subgraph @provides is read from it, through nested objects, unions and interfaces', async () => {
  const shared = `type Category @key(fields: "id") { id: ID! name: String @shareable }
    interface Animal { id: ID! name: String }
    type Dog implements Animal @key(fields: "id") { id: ID! name: String @shareable age: Int @shareable }
    type Cat implements Animal @key(fields: "id") { id: ID! name: String @shareable age: Int @shareable }`;
  const wrong = () => {
    throw new Error('must not be asked');
  };
  await inWorld(
    {
      owner: {
        sdl: `type Query { nothing: Int } ${shared}`,
        resolvers: {
          Category: { __resolveReference: own, name: wrong },
          Dog: { __resolveReference: own, name: wrong, age: () => 5 },
          Cat: { __resolveReference: own, name: wrong, age: () => 6 },
        },
      },
      shop: {
        sdl: `type Query { products: [Product!]! @provides(fields: "category { name }")
            pets: [Pet!]! @provides(fields: "... on Dog { name }") animal: Animal @provides(fields: "... on Cat { name }") }
          type Product @key(fields: "id") { id: ID! category: Category @external }
          type Category @key(fields: "id") { id: ID! name: String @external }
          union Pet = Dog | Cat
          interface Animal { id: ID! name: String }
          type Dog implements Animal @key(fields: "id") { id: ID! name: String @external }
          type Cat implements Animal @key(fields: "id") { id: ID! name: String @external }`,
        resolvers: {
          Query: {
            products: () => [{ id: 'p1', category: { id: 'c1', name: 'Toys' } }],
            pets: () => [{ __typename: 'Dog', id: 'd1', name: 'Rex' }],
            animal: () => ({ __typename: 'Cat', id: 'k1', name: 'Tom' }),
          },
          Pet: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
          Animal: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        },
      },
      products: {
        sdl: `type Product @key(fields: "id") { id: ID! category: Category } type Category @key(fields: "id", resolvable: false) { id: ID! }`,
        resolvers: { Product: { __resolveReference: own, category: () => ({ id: 'c9' }) } },
      },
    },
    async (world) => {
      expect(await world.ask('{ products { id category { name } } }')).toEqual({
        data: { products: [{ id: 'p1', category: { name: 'Toys' } }] },
      });
      expect(world.counts()).toEqual({ shop: 1 });
      expect(await world.ask('{ pets { ... on Dog { name age } } animal { ... on Cat { name age } } }')).toEqual({
        data: { pets: [{ name: 'Rex', age: 5 }], animal: { name: 'Tom', age: 6 } },
      });
    },
  );
});

test('a field that another service took over is asked of that one, even when its old owner is no longer there', async () => {
  await inWorld(
    {
      old: {
        sdl: `type Query { old: Post } type Post @key(fields: "id") { id: ID! created: String body: String }`,
        resolvers: {
          Query: { old: () => ({ id: '1' }) },
          Post: { __resolveReference: own, created: () => 'old', body: () => 'text' },
        },
      },
      fresh: {
        sdl: `type Query { fresh: Post } type Post @key(fields: "id") { id: ID! created: String @override(from: "old")
          likes: Int @override(from: "gone") age: Int @requires(fields: "body") body: String @external }`,
        resolvers: {
          Query: { fresh: () => ({ id: '2' }) },
          Post: {
            __resolveReference: own,
            created: () => 'fresh',
            likes: () => 1,
            age: ({ body }: Reference) => String(body).length,
          },
        },
      },
    },
    async (world) => {
      expect(await world.ask('{ old { created likes age } fresh { created body age } }')).toEqual({
        data: { old: { created: 'fresh', likes: 1, age: 4 }, fresh: { created: 'fresh', body: 'text', age: 4 } },
      });
    },
  );
});

test('a root field that several services share is put together from all of them, a mutation runs in one', async () => {
  const added: string[] = [];
  const mutation = (name: string) => () => {
    added.push(name);
    return { id: 'c1' };
  };
  await inWorld(
    {
      names: {
        sdl: `type Query { product: Product @shareable } type Mutation { add: Product @shareable }
          type Product @shareable { id: ID! name: Name } type Name @shareable { id: ID! first: String }`,
        resolvers: {
          Query: { product: () => ({ id: '1', name: { id: 'n', first: 'Chair' } }) },
          Mutation: { add: mutation('names') },
        },
      },
      prices: {
        sdl: `type Query { product: Product @shareable } type Mutation { add: Product @shareable }
          type Product @shareable { id: ID! price: Int name: Name } type Name @shareable { id: ID! }`,
        resolvers: {
          Query: { product: () => ({ id: '1', price: 3, name: { id: 'n' } }) },
          Mutation: { add: mutation('prices') },
        },
      },
    },
    async (world) => {
      expect(await world.ask('{ product { price id name { first id } } }')).toEqual({
        data: { product: { price: 3, id: '1', name: { first: 'Chair', id: 'n' } } },
      });
      expect(world.counts()).toEqual({ names: 1, prices: 1 });
      expect(await world.ask('mutation { add { id } }')).toEqual({ data: { add: { id: 'c1' } } });
      expect(added).toHaveLength(1);
    },
  );
});

test('keys lead from service to service, also where no two services far apart share one', async () => {
  await inWorld(
    {
      a: {
        sdl: 'type Query { item: Item } type Item @key(fields: "id") { id: ID! }',
        resolvers: { Query: { item: () => ({ id: '1' }) } },
      },
      b: {
        sdl: `type Item @key(fields: "id") @key(fields: "id pid") @key(fields: "code { value kind }") {
          id: ID! pid: ID code: Code } type Code @shareable { value: String kind: String }`,
        resolvers: {
          Item: { __resolveReference: ({ id }: Reference) => ({ id, pid: `p${id}`, code: { value: 'v', kind: 'k' } }) },
        },
      },
      c: {
        sdl: `type Item @key(fields: "code { value kind }") { code: Code parts: [Item] label: String }
          type Code @shareable { value: String kind: String }`,
        resolvers: {
          Item: {
            __resolveReference: own,
            label: ({ code }: { code: Reference }) => `${code.value}-${code.kind}`,
            parts: () => [{ code: { value: 'v2', kind: null } }, null],
          },
        },
      },
      d: {
        sdl: 'type Item @key(fields: "id pid") { id: ID! pid: ID price: Int }',
        resolvers: { Item: { __resolveReference: own, price: ({ pid }: Reference) => Number(String(pid).slice(1)) } },
      },
    },
    async (world) => {
      expect(await world.ask('{ item { label price parts { label } id } }')).toEqual({
        data: { item: { label: 'v-k', price: 1, parts: [{ label: 'v2-null' }, null], id: '1' } },
      });
    },
  );
});

test('an entity with null keys is not fetched, and one that is not found is null', async () => {
  await inWorld(
    {
      a: {
        sdl: 'type Query { books: [Book] } type Book @key(fields: "upc") { upc: ID author: Author } type Author @key(fields: "id") { id: ID }',
        resolvers: {
          Query: { books: () => ['b1', 'b2', null, 'b4'].map((upc) => ({ upc, author: { id: upc && `a-${upc}` } })) },
        },
      },
      b: {
        sdl: 'type Book @key(fields: "upc") { upc: ID title: String } type Author @key(fields: "id") { id: ID name: String }',
        resolvers: {
          Book: {
            __resolveReference: ({ upc }: Reference) => (upc === 'b2' ? null : { upc }),
            title: ({ upc }: Reference) => `T ${upc}`,
          },
          Author: { __resolveReference: own, name: ({ id }: Reference) => `N ${id}` },
        },
      },
    },
    async (world) => {
      expect(await world.ask('{ books { title author { name } } }')).toEqual({
        data: {
          books: [
            { title: 'T b1', author: { name: 'N a-b1' } },
            { title: null, author: { name: 'N a-b2' } },
            { title: null, author: { name: null } },
            { title: 'T b4', author: { name: 'N a-b4' } },
          ],
        },
      });
      expect(JSON.stringify(world.calls[1]?.variables)).not.toContain('null');
    },
  );
});

test('types that differ from type to type in one service only do not disturb it', async () => {
  await inWorld(
    {
      a: {
        sdl: `type Query { pair: [Either!]! } union Either = User | Admin
          type User @key(fields: "id") { id: ID! mark: String @shareable }
          type Admin @key(fields: "id") { id: ID! }`,
        resolvers: {
          Query: {
            pair: () => [
              { __typename: 'User', id: 'u1' },
              { __typename: 'Admin', id: 'a1' },
            ],
          },
          Either: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
          User: { mark: () => 'from a' },
        },
      },
      b: {
        sdl: `type User @key(fields: "id") { id: ID! name: String! @shareable label: Int }
          type Admin @key(fields: "id") { id: ID! name: String label: Int }`,
        resolvers: {
          User: { __resolveReference: own, name: () => 'user', label: () => 1 },
          Admin: { __resolveReference: own, name: () => 'admin', label: () => 2 },
        },
      },
      c: {
        sdl: `type Query { user: User } type User @key(fields: "id") { id: ID! name: String @shareable }`,
        resolvers: { Query: { user: () => ({ id: 'u2', name: 'c' }) } },
      },
    },
    async (world) => {
      const document = '{ pair { ... on User { n: name label mark } ... on Admin { n: name label } } }';
      expect(await world.ask(document)).toEqual({
        data: {
          pair: [
            { n: 'user', label: 1, mark: 'from a' },
            { n: 'admin', label: 2 },
          ],
        },
      });
    },
  );
});
