import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, validate } from 'graphql';
import { responseObject } from '../../../gateway/planning/joins/index.ts';
import { eventsRequest } from './open-federated-graph.ts';
import { federate, type World } from './world.ts';

let posts: World;

const TEXT = { __typename: 'Text', body: 'Read on' };
const CHART = { __typename: 'Chart', title: 'Sales', points: 3 };
const MAP = { __typename: 'Map', title: 'Ways', zoom: 7, author: { id: 'p1' } };
const typed = { __resolveType: ({ __typename }: { __typename: string }) => __typename };
const SHARED = 'type Text @shareable { body: String } interface Titled { title: String! }';

beforeAll(async () => {
  posts = await federate({
    drafts: {
      sdl: `type Query { draft: Post both: Post @shareable }
        type Subscription { drafted: Post }
        type Post @key(fields: "id") { id: ID! page: Page @shareable }
        type Page @shareable { blocks: [Block!]! }
        union Block = Text | Chart
        type Chart implements Titled { title: String! points(atLeast: Int): Int! } ${SHARED}`,
      resolvers: {
        Query: { draft: () => ({ id: '1' }), both: () => ({ id: '1' }) },
        Post: { __resolveReference: (key: object) => key, page: () => ({ blocks: [TEXT, CHART] }) },
        Block: typed,
        Chart: {
          points: ({ points }: typeof CHART, { atLeast }: { atLeast?: number }) => Math.max(points, atLeast ?? 0),
        },
      },
    },
    site: {
      sdl: `type Query { published: Post both: Post @shareable }
        type Post @key(fields: "id") { id: ID! page: Page @shareable printed: Page }
        type Page @shareable { blocks: [Block!]! }
        union Block = Text | Map
        type Map implements Titled { title: String! zoom: Int! author: Person! }
        type Person @key(fields: "id") { id: ID! } ${SHARED}`,
      resolvers: {
        Query: { published: () => ({ id: '2' }), both: () => ({ id: '1' }) },
        Post: {
          __resolveReference: (key: object) => key,
          page: () => ({ blocks: [MAP, TEXT] }),
          printed: () => ({ blocks: [MAP] }),
        },
        Block: typed,
        Map: { author: ({ author }: typeof MAP) => author },
      },
    },
  });
});
afterAll(() => posts.close());

const BLOCKS = `blocks { __typename ... on Text { body } ... on Chart { title points(atLeast: $n) } ... on Map { zoom } }`;

test('a member of a union that only the service at hand has is asked for of it', async () => {
  expect(await posts.ask(`query ($n: Int) { draft { page { ${BLOCKS} } } }`, { n: 5 })).toEqual({
    data: { draft: { page: { blocks: [TEXT, { ...CHART, points: 5 }] } } },
  });
  expect(await posts.ask(`query ($n: Int) { published { page { ${BLOCKS} } } }`)).toEqual({
    data: { published: { page: { blocks: [{ __typename: 'Map', zoom: 7 }, TEXT] } } },
  });
});

test('so is one behind an entity that another service has given', async () => {
  expect(await posts.ask('{ draft { printed { blocks { ... on Map { title zoom } } } } }')).toEqual({
    data: { draft: { printed: { blocks: [{ title: 'Ways', zoom: 7 }] } } },
  });
});

test('an interface that the members have counts as they do', async () => {
  expect(await posts.ask('{ draft { page { blocks { ... on Titled { title } } } } }')).toEqual({
    data: { draft: { page: { blocks: [{}, { title: 'Sales' }] } } },
  });
});

test('no service is asked for a member that it does not have', async () => {
  posts.forget();
  expect(await posts.ask('{ draft { page { blocks { __typename ... on Map { zoom } } } } }')).toEqual({
    data: { draft: { page: { blocks: [{ __typename: 'Text' }, { __typename: 'Chart' }] } } },
  });
  expect(posts.calls.map(({ query }) => query).join()).not.toContain('Map');
});

test('an event has the members that only its service has, too', async () => {
  const subscription = posts.graph.prepareSubscription(`subscription ($n: Int) { drafted { page { ${BLOCKS} } } }`);
  const planned = await subscription.plan({});
  const { query, variables } = eventsRequest(planned, { n: 5 });
  const schema = posts.schemas.get('drafts');
  expect(schema && validate(schema, parse(query))).toEqual([]);
  expect(query).toContain('on Chart');
  expect(variables).toEqual({ n: 5 });
  const event = { data: { drafted: { __typename: 'Post', id: '1', page: { blocks: [TEXT, CHART] } } } };
  expect(responseObject(await planned.join(event, { n: 5 }, undefined))).toEqual({
    data: { drafted: { page: { blocks: [TEXT, CHART] } } },
  });
});
