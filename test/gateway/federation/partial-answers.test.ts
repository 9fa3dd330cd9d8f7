import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { openFederatedGraph } from './open-federated-graph.ts';
import { sending } from './sending.ts';
import { federate, type World } from './world.ts';

let team: World;

const MEMBERS = ['1', '2', '3', '1'].map((id) => ({ id, name: `n${id}` }));

beforeAll(async () => {
  team = await federate({
    people: {
      sdl: `type Query { members: [Member!]! lead: Member nobody: Member count: Int }
        type Member @key(fields: "id") { id: ID! name: String! chief: Member }`,
      resolvers: {
        Query: {
          members: () => MEMBERS,
          lead: () => MEMBERS[0],
          nobody: () => {
            throw new Error('nobody leads');
          },
          count: () => 4,
        },
        Member: { __resolveReference: (key: object) => ({ ...key, name: 'ref' }), chief: () => MEMBERS[0] },
      },
    },
    pay: {
      sdl: `type Query { budget: Int }
        type Member @key(fields: "id") { id: ID! pay: Int bonus: Int! terms: Terms }
        type Terms { days: Int notice: Int! }`,
      resolvers: {
        Query: { budget: () => 1000 },
        Member: {
          __resolveReference: ({ id }: { id: string }) => (id === '3' ? null : { id }),
          pay: ({ id }: { id: string }) => {
            if (id === '1') throw new Error('pay of 1 is sealed');
            return 10;
          },
          bonus: () => 5,
          terms: ({ id }: { id: string }) => ({ id }),
        },
        Terms: {
          days: ({ id }: { id: string }) => {
            if (id === '1') throw Object.assign(new Error('no days'), { extensions: { code: 'DAYS', hint: 'later' } });
            return 30;
          },
          notice: () => 7,
        },
      },
    },
  });
});
afterEach(() => team.down.clear());
afterAll(() => team.close());

test('an error of an entity is reported at each path where it occurs, with the client’s response keys', async () => {
  const { data, errors } = await team.ask('{ staff: members { id terms { free: days } } }');
  expect(data).toEqual({
    staff: [
      { id: '1', terms: { free: null } },
      { id: '2', terms: { free: 30 } },
      { id: '3', terms: null },
      { id: '1', terms: { free: null } },
    ],
  });
  const extensions = { code: 'DAYS', hint: 'later', service: 'pay' };
  expect(errors).toEqual([
    { message: 'no days', path: ['staff', 0, 'terms', 'free'], extensions },
    { message: 'no days', path: ['staff', 3, 'terms', 'free'], extensions },
  ]);
});

test('errors keep apart when one call fetches for several places', async () => {
  const { errors } = await team.ask('{ lead { pay chief { wage: pay bonus } } }');
  expect(errors?.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      ['lead', 'pay'],
      ['lead', 'chief', 'wage'],
    ]),
  );
  expect(errors).toHaveLength(2);
});

test('a service that is down takes only its own fields away', async () => {
  team.down.add('pay');
  expect(await team.ask('{ count budget lead { name pay } }')).toEqual({
    data: { count: 4, budget: null, lead: { name: 'n1', pay: null } },
    errors: [
      { message: 'pay is down', path: ['budget'], extensions: { code: 'down', service: 'pay' } },
      { message: 'pay is down', path: ['lead'], extensions: { code: 'down', service: 'pay' } },
    ],
  });
});

test('what depends on a service that is down is not asked for', async () => {
  team.down.add('people');
  team.forget();
  const { data, errors } = await team.ask('{ lead { pay } nobody { pay } }');
  expect(data).toEqual({ lead: null, nobody: null });
  expect(errors?.map(({ path }) => path)).toEqual([['lead'], ['nobody']]);
  expect(team.calls).toEqual([]);
});

test('a missing value takes away the nearest place that may be null, with one error for it', async () => {
  const { data, errors } = await team.ask('{ members { name bonus } count }');
  expect(data).toBeNull();
  expect(errors).toEqual([
    {
      message: 'Cannot return null for non-nullable field Member.bonus.',
      path: ['members', 2, 'bonus'],
      extensions: { code: 'remote-schema-error' },
    },
  ]);
  team.down.add('pay');
  expect(await team.ask('{ lead { name bonus } count }')).toMatchObject({
    data: { lead: null, count: 4 },
    errors: [{ message: 'pay is down', path: ['lead'] }],
  });
});

test('an error of a root field is relayed with the name of its service', async () => {
  expect(await team.ask('{ none: nobody { pay } count }')).toEqual({
    data: { none: null, count: 4 },
    errors: [
      { message: 'nobody leads', path: ['none'], extensions: { code: 'remote-schema-error', service: 'people' } },
    ],
  });
});

test.each([
  ['<html>no</html>', 'not JSON'],
  ['[]', 'not a GraphQL response'],
  ['{"data":null}', 'not a GraphQL response'],
  ['{"data":{"budget":[1]}}', 'The value of Query.budget'],
  ['{"data":{"budget":"1"},"errors":[{"message":"odd","path":["elsewhere",0]}]}', 'odd'],
  ['{"errors":[7]}', 'the service "pay" reported an error'],
])('an answer like %s is reported as such', async (answer, message) => {
  const graph = openFederatedGraph(
    team.supergraphSdl,
    sending(async () => answer),
  );
  const { errors } = await graph.prepare('{ budget }').run({}, undefined);
  expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
});

test('the cause of a failed fetch is not shown to clients', async () => {
  const send = sending(async () => {
    throw new Error('connect ECONNREFUSED 10.0.0.7:4001');
  });
  const graph = openFederatedGraph(team.supergraphSdl, send);
  expect(await graph.prepare('{ budget }').run({}, undefined)).toMatchObject({
    data: ['{"budget":null}'],
    errors: [{ message: 'the service "pay" did not respond', path: ['budget'] }],
  });
});

test('extensions of a subgraph’s response are relayed', async () => {
  const send = sending(async () => '{"data":{"budget":1},"extensions":{"http":{"status":503}}}');
  const graph = openFederatedGraph(team.supergraphSdl, send);
  const { extensions } = await graph.prepare('{ budget }').run({}, undefined);
  expect(extensions).toEqual([{ service: 'pay', extensions: { http: { status: 503 } } }]);
});

test('an error that leaves nothing of the response is the only error', async () => {
  const world = await federate({
    plans: {
      sdl: `type Query { plan: Plan @shareable broken: String! } type Plan @shareable { id: ID! } `,
      resolvers: {
        Query: {
          plan: () => ({ id: '1' }),
          broken: () => {
            throw new Error('broken');
          },
        },
      },
    },
    prices: {
      sdl: 'type Query { plan: Plan @shareable } type Plan { id: ID! @shareable price: Int! }',
      resolvers: { Query: { plan: () => ({ id: '1', price: 3 }) } },
    },
    names: {
      sdl: 'type Query { plan: Plan @shareable other: String! } type Plan { id: ID! @shareable name: String! }',
      resolvers: {
        Query: {
          plan: () => ({ id: '1', name: 'small' }),
          other: () => {
            throw new Error('other');
          },
        },
      },
    },
  });
  try {
    expect(await world.ask('{ plan { price name } other }')).toEqual({
      data: null,
      errors: [{ message: 'other', path: ['other'], extensions: { code: 'remote-schema-error', service: 'names' } }],
    });
  } finally {
    await world.close();
  }
});
