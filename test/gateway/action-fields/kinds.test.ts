import { afterEach, describe, expect, test } from '@jest/globals';
import { apolloSubgraph } from '../composition/subgraphs.ts';
import { graphqlUpstream, keeper, reply } from '../harness/index.ts';
import { type CallBody, ESTIMATE, estimate, type OrderRow, openFieldWorld, ROWS } from './world.ts';

const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const PRICES = '{ orders { estimate { price } } }';
const priced = (...prices: (number | null)[]) => ({
  orders: prices.map((price) => ({ estimate: price === null ? null : { price } })),
});

describe('a field with one call for each object', () => {
  const open = () => keepForTest(openFieldWorld({ actions: [estimate({ batch: false })] }));

  test('sends each distinct key once, as a root action is sent', async () => {
    const { ask, calls } = await open();
    const { data, errors } = await ask('{ orders { estimate { price } } a: order(id: 1) { estimate { days } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({ ...priced(50, 80, 50, null), a: { estimate: { days: 5 } } });
    expect(
      calls()
        .map(({ input }) => input?.id)
        .sort(),
    ).toEqual(['1', '2', '3']);
    expect(calls()[0]).toMatchObject({ action: { name: 'estimate' }, input: { weight: 5, express: false } });
    expect(calls()[0]).not.toHaveProperty('inputs');
  });

  test('fails for one object and not for the others', async () => {
    const { ask, answerBy } = await open();
    answerBy(({ body }, response) =>
      (body as CallBody).input?.id === '2'
        ? reply(response, 404, { message: 'no route', code: 'no-route' })
        : { price: 1 },
    );
    expect(await ask(PRICES)).toEqual({
      data: priced(1, null, 1, null),
      errors: [
        {
          message: 'no route',
          path: ['orders', 1, 'estimate'],
          extensions: { code: 'no-route', path: '$', service: 'estimate' },
        },
      ],
    });
  });

  test('runs few calls at the same time, however long the list is', async () => {
    const rows = Array.from({ length: 60 }, (_, at): OrderRow => ({ ...(ROWS[0] as OrderRow), id: String(at) }));
    const world = await keepForTest(openFieldWorld({ actions: [estimate({ batch: false })], rows }));
    let running = 0;
    let most = 0;
    world.answerBy(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { price: 1 };
    });
    const { data } = await world.ask('{ orders(first: 60) { estimate { price } } }');
    expect(data).toEqual(priced(...rows.map(() => 1)));
    expect(world.calls()).toHaveLength(60);
    expect(most).toBeLessThanOrEqual(16);
  });

  test('stays within the bulkhead of the action', async () => {
    const resilience = { concurrency: { max_in_flight: 1, max_queue: 0 } };
    const world = await keepForTest(openFieldWorld({ actions: [estimate({ batch: false }, { resilience })] }));
    const { data, errors } = await world.ask(PRICES);
    expect(data).toEqual(priced(50, null, null, null));
    expect(errors).toMatchObject(
      [1, 2].map((at) => ({
        path: ['orders', at, 'estimate'],
        extensions: { code: 'upstream-overloaded', service: 'estimate' },
      })),
    );
  });
});

describe('a field may be of', () => {
  test('a type of actions, and may have fields of other actions and of services in it', async () => {
    const users = await keepForTest(
      graphqlUpstream('type Query { user(id: ID!): User } type User { id: ID! name: String! }', {
        Query: { user: (_, { id }) => ({ id, name: `user ${id}` }) },
      }),
    );
    const weather = {
      name: 'weather',
      definition: {
        handler: '{{HOOK_URL}}/weather',
        field: { type: 'Estimate', name: 'weather', key: 'days', batch: true },
      },
      permissions: [{ role: 'user' }],
    };
    const root = {
      name: 'best',
      definition: { handler: '{{HOOK_URL}}/best' },
      permissions: [{ role: 'user' }],
    };
    const toUsers = {
      name: 'carrier',
      definition: {
        to_remote_schema: {
          remote_schema: 'users',
          lhs_fields: ['carrier_id'],
          remote_field: { user: { arguments: { id: '$carrier_id' } } },
        },
      },
    };
    const world = await keepForTest(
      openFieldWorld({
        types: `${ESTIMATE} extend type Query { weather(days: Int!): Weather best: [Estimate!] } type Weather { rain: Boolean! }`,
        files: {
          remotes: [{ name: 'users', definition: { url: users.graphqlUrl } }],
          'actions.yaml': {
            actions: [estimate(), weather, root],
            custom_types: { objects: [{ name: 'Estimate', relationships: [toUsers] }] },
          },
        },
      }),
    );
    world.answerBy((received) => {
      const { action, inputs = [] } = received.body as CallBody;
      if (action.name === 'best')
        return [
          { price: 1, days: 3, carrier_id: 'z' },
          { price: 2, days: 3 },
        ];
      if (action.name === 'weather') return inputs.map(({ days }) => ({ data: { rain: Number(days) > 3 } }));
      return inputs.map(({ weight }) => ({ data: { price: 1, days: weight, carrier_id: `c${weight}` } }));
    });
    const { data, errors } = await world.ask(
      '{ orders(first: 3) { estimate { weather { rain } carrier { name } } } best { weather { rain } carrier { id } } }',
    );
    expect(errors).toBeUndefined();
    const of = (weight: number) => ({
      estimate: { weather: { rain: weight > 3 }, carrier: { name: `user c${weight}` } },
    });
    expect(data).toEqual({
      orders: [of(5), of(8), of(5)],
      best: [
        { weather: { rain: false }, carrier: { id: 'z' } },
        { weather: { rain: false }, carrier: null },
      ],
    });
    expect(world.calls().filter(({ action }) => action.name === 'estimate')).toHaveLength(1);
  });

  test('a federated entity, with a key from another subgraph, and may lead to entities', async () => {
    const stock = await keepForTest(
      apolloSubgraph(
        'type Query { parcels: [Parcel!]! carrier(id: ID!): Carrier } type Parcel @key(fields: "id") { id: ID! } type Carrier @key(fields: "id") { id: ID! }',
        {
          Query: {
            parcels: () => [{ id: '1' }, { id: '2' }],
            carrier: (_: unknown, { id }: { id: string }) => ({ id }),
          },
        },
      ),
    );
    const scales = await keepForTest(
      apolloSubgraph(
        'type Parcel @key(fields: "id") { id: ID! weight: Int! } type Carrier @key(fields: "id") { id: ID! phone: String! }',
        {
          Parcel: { __resolveReference: ({ id }: { id: string }) => ({ id, weight: Number(id) * 10 }) },
          Carrier: { __resolveReference: ({ id }: { id: string }) => ({ id, phone: `+${id}` }) },
        },
      ),
    );
    const toCarrier = {
      name: 'carrier',
      definition: {
        to_remote_schema: {
          remote_schema: 'stock',
          lhs_fields: ['carrier_id'],
          remote_field: { carrier: { arguments: { id: '$carrier_id' } } },
        },
      },
    };
    const subgraph = (name: string, url: string) => ({ name, definition: { url, composition: 'federation' } });
    const world = await keepForTest(
      openFieldWorld({
        files: {
          remotes: [subgraph('stock', stock.graphqlUrl), subgraph('scales', scales.graphqlUrl)],
          'actions.yaml': {
            actions: [estimate({ batch: true, type: 'Parcel' })],
            custom_types: { objects: [{ name: 'Estimate', relationships: [toCarrier] }] },
          },
        },
      }),
    );
    const { data, errors } = await world.ask('{ parcels { estimate { price carrier { phone } } } }');
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      parcels: [
        { estimate: { price: 100, carrier: { phone: '+c10' } } },
        { estimate: { price: 200, carrier: { phone: '+c20' } } },
      ],
    });
    expect(world.calls()).toHaveLength(1);
  });

  test('a type that is renamed in the graph', async () => {
    const customization = {
      type_names: { prefix: 'Shop' },
      field_names: [{ parent_type: 'Order', mapping: { weight: 'mass' } }],
    };
    const world = await keepForTest(
      openFieldWorld({
        definition: { customization },
        types: ESTIMATE.replace('weight', 'mass'),
        actions: [estimate({ batch: true, type: 'ShopOrder', key: 'id mass' })],
      }),
    );
    world.answerBy(({ body }) =>
      ((body as { inputs: { mass: number }[] }).inputs ?? []).map(({ mass }) => ({ data: { price: mass } })),
    );
    expect((await world.ask(PRICES)).data).toEqual(priced(5, 8, 5, null));
  });

  test('the type of a scalar, an enum and a list', async () => {
    const types = `type Query { label(id: ID!): String size(weight: Int!): Size! numbers(id: ID!): [Int!]! when(id: ID!): ID }
      enum Size { S L }`;
    const field = (name: string, key: string) => ({
      name,
      definition: { handler: '{{HOOK_URL}}/x', field: { type: 'Order', name, key, batch: true } },
      permissions: [{ role: 'user' }],
    });
    const actions = [field('label', 'id'), field('size', 'weight'), field('numbers', 'id'), field('when', 'id')];
    const world = await keepForTest(openFieldWorld({ types, actions }));
    const values: Record<string, (one: { id: string; weight: number }) => unknown> = {
      label: ({ id }) => `#${id}`,
      size: ({ weight }) => (weight > 5 ? 'L' : 'M'),
      numbers: ({ id }) => (id === '2' ? [1, 2] : [null]),
      when: ({ id }) => Number(id),
    };
    world.answerBy(({ body }) => {
      const { action, inputs = [] } = body as CallBody;
      return inputs.map((input) => ({ data: values[action.name]?.(input) }));
    });
    const { data, errors } = await world.ask('{ orders(first: 2) { label size numbers when } }');
    expect(data).toEqual({
      orders: [
        { label: '#1', size: null, numbers: null, when: '1' },
        { label: '#2', size: 'L', numbers: [1, 2], when: '2' },
      ],
    });
    expect(errors?.map(({ path }) => path?.join('.')).sort()).toEqual(['orders.0.numbers', 'orders.0.size']);
  });
});

describe('a key', () => {
  test('may have nested fields, which are an input object', async () => {
    const types = `type Query { greeting(id: ID!, owner: OwnerInput!): Greeting } input OwnerInput { id: ID! name: String } type Greeting { text: String }`;
    const greeting = {
      name: 'greeting',
      definition: {
        handler: '{{HOOK_URL}}/x',
        field: { type: 'Order', name: 'greeting', key: 'id owner { id name }', batch: true },
      },
      permissions: [{ role: 'user' }],
    };
    const world = await keepForTest(openFieldWorld({ types, actions: [greeting] }));
    world.answerBy(({ body }) => ((body as CallBody).inputs ?? []).map(({ id }) => ({ data: { text: id } })));
    const { data, errors } = await world.ask('{ orders { greeting { text } owner { n: name } } }');
    expect(errors).toBeUndefined();
    // The owner of the second order has no name.
    expect(data).toEqual({
      orders: [
        { greeting: { text: '1' }, owner: { n: 'Ada' } },
        { greeting: null, owner: { n: null } },
        { greeting: { text: '3' }, owner: { n: 'Ada' } },
        { greeting: null, owner: null },
      ],
    });
    expect(world.calls().map(({ inputs }) => inputs)).toEqual([
      [
        { id: '1', owner: { id: '7', name: 'Ada' } },
        { id: '3', owner: { id: '7', name: 'Ada' } },
      ],
    ]);
  });

  test('that its service cannot resolve makes the field null, with the error of the service', async () => {
    const types = 'type Query { estimate(broken: Int!): Estimate } type Estimate { price: Int }';
    const world = await keepForTest(openFieldWorld({ types, actions: [estimate({ batch: true, key: 'broken' })] }));
    const { data, errors } = await world.ask('{ orders(first: 2) { id estimate { price } } }');
    expect(data).toEqual({ orders: ['1', '2'].map((id) => ({ id, estimate: null })) });
    expect(errors?.map(({ message, path }) => `${message} ${path?.join('.')}`)).toEqual([
      'no tea today orders.0.estimate',
      'no tea today orders.1.estimate',
    ]);
    expect(world.calls()).toEqual([]);
  });
});

describe('a role has the field', () => {
  const schema = 'type Query { orders(first: Int): [Order!]! } type Order { id: ID! weight: Int }';
  const forRole = (role: string, sdl = schema) => ({ role, definition: { schema: sdl } });
  const open = () =>
    keepForTest(
      openFieldWorld({
        actions: [estimate({ batch: true }, {}, ['user', 'blind', 'outsider'])],
        orders: {
          permissions: [
            forRole('user'),
            forRole('clerk'),
            forRole('blind', schema.replace(' weight: Int', '')),
            forRole('outsider', 'type Query { cart: Cart } type Cart { id: ID! }'),
          ],
        },
      }),
    );
  const MISSING = [{ message: expect.stringMatching(/^Cannot query field "estimate" on type "Order"/) }];

  test('if the action permits it, and if it sees the type and the key', async () => {
    const { ask } = await open();
    expect((await ask(PRICES)).data).toEqual(priced(50, 80, 50, null));
    expect((await ask(PRICES, undefined, 'admin')).data).toEqual(priced(50, 80, 50, null));
    expect((await ask(PRICES, undefined, 'clerk')).errors).toMatchObject(MISSING);
    expect((await ask(PRICES, undefined, 'blind')).errors).toMatchObject(MISSING);
  });

  test('and does not see the types of the action otherwise', async () => {
    const { ask } = await open();
    const TYPES = '{ __schema { types { name } } }';
    const namesFor = async (role: string) => {
      const { data } = await ask(TYPES, undefined, role);
      return (data as { __schema: { types: { name: string }[] } }).__schema.types.map(({ name }) => name);
    };
    expect(await namesFor('user')).toEqual(expect.arrayContaining(['Estimate', 'Leg', 'Order']));
    for (const role of ['clerk', 'blind', 'outsider']) {
      const names = await namesFor(role);
      expect(names).not.toContain('Estimate');
      expect(names).not.toContain('Leg');
    }
  });
});
