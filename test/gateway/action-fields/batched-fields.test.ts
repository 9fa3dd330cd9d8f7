import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, reply } from '../harness/index.ts';
import { type CallBody, estimate, openFieldWorld, priceOf } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const world = await keep(openFieldWorld());
beforeEach(() => world.forget());

const { ask, calls } = world;
const PRICES = '{ orders { estimate { price } } }';
const inputsOf = ({ inputs }: CallBody) => inputs;

describe('a batched field', () => {
  test('is resolved by one call for all objects of a list', async () => {
    const { data, errors } = await ask('{ orders { id estimate { price days legs { km } } } }');
    expect(errors).toBeUndefined();
    const value = (price: number) => ({ price, days: 5, legs: [{ km: 1 }] });
    expect(data).toEqual({
      orders: [
        { id: '1', estimate: value(50) },
        { id: '2', estimate: value(80) },
        { id: '3', estimate: value(50) },
        // An object whose key has a null is not asked for.
        { id: '4', estimate: null },
      ],
    });
    expect(calls()).toMatchObject([
      {
        action: { name: 'estimate' },
        inputs: [
          { id: '1', weight: 5, express: false },
          { id: '2', weight: 8, express: false },
          { id: '3', weight: 5, express: false },
        ],
        request_query: '{ orders { id estimate { price days legs { km } } } }',
        session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
      },
    ]);
    expect(calls()[0]).not.toHaveProperty('input');
    expect(world.orders.operations()).toHaveLength(1);
  });

  test('does not show the fields of its key', async () => {
    expect((await ask(PRICES)).data).toEqual({
      orders: [50, 80, 50, undefined].map((price) => ({ estimate: price === undefined ? null : { price } })),
    });
    const { data } = await ask('{ orders(first: 1) { weight: note id: note estimate { price } } }');
    expect(data).toEqual({ orders: [{ weight: 'first', id: 'first', estimate: { price: 50 } }] });
  });

  test('takes arguments of the client, and asks once for all aliases', async () => {
    const query = `query ($fast: Boolean) { orders(first: 2) {
      slow: estimate { price } again: estimate { days } fast: estimate(express: $fast) { price } late: estimate(express: false) { carrier_id } } }`;
    const { data, errors } = await ask(query, { fast: true });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      orders: [
        { slow: { price: 50 }, again: { days: 5 }, fast: { price: 100 }, late: { carrier_id: 'c5' } },
        { slow: { price: 80 }, again: { days: 5 }, fast: { price: 160 }, late: { carrier_id: 'c8' } },
      ],
    });
    expect(calls().map(inputsOf)).toEqual([
      [
        { id: '1', weight: 5, express: false },
        { id: '2', weight: 8, express: false },
        { id: '1', weight: 5, express: true },
        { id: '2', weight: 8, express: true },
      ],
    ]);
    expect((await ask('{ orders { estimate(weight: 1) { price } } }')).errors).toMatchObject([
      { message: 'Unknown argument "weight" on field "Order.estimate".' },
    ]);
  });

  test('is in nested lists, in fragments, in interfaces, unions and mutations', async () => {
    const { data, errors } = await ask(`{
      cart { orders { estimate { price } } }
      things { __typename ...F }
      anything { ... on Order { estimate { price } } }
      orders(first: 1) { parts { estimate { price } } }
    } fragment F on Thing { id ... on Order { e: estimate { ...G } } } fragment G on Estimate { __typename price }`);
    expect(errors).toBeUndefined();
    const typed = (price: number) => ({ __typename: 'Estimate', price });
    expect(data).toEqual({
      cart: { orders: [[{ estimate: { price: 50 } }, null], null, [{ estimate: { price: 80 } }]] },
      things: [
        { __typename: 'Order', id: '1', e: typed(50) },
        { __typename: 'Cart', id: 'c' },
        { __typename: 'Order', id: '2', e: typed(80) },
      ],
      anything: [{}, { estimate: { price: 80 } }],
      orders: [{ parts: [{ estimate: { price: 50 } }, { estimate: { price: 80 } }] }],
    });
    // All objects that are known at the same time are in one call, and equal keys are asked for once.
    expect(calls().map(inputsOf)).toEqual([
      [
        { id: '1', weight: 5, express: false },
        { id: '2', weight: 8, express: false },
      ],
    ]);
    expect(await ask('mutation { place { note estimate { price } } }')).toEqual({
      data: { place: { note: 'second', estimate: { price: 80 } } },
    });
  });

  test('can be left out by a condition', async () => {
    const query =
      'query ($no: Boolean!) { orders(first: 1) { estimate { price @skip(if: $no) days } estimate @skip(if: $no) { legs { km } } } }';
    expect((await ask(query, { no: true })).data).toEqual({ orders: [{ estimate: { days: 5 } }] });
    expect((await ask(query, { no: false })).data).toEqual({
      orders: [{ estimate: { price: 50, days: 5, legs: [{ km: 1 }] } }],
    });
    const wholly = 'query ($no: Boolean!) { orders(first: 1) { id estimate @skip(if: $no) { price } } }';
    world.forget();
    expect((await ask(wholly, { no: true })).data).toEqual({ orders: [{ id: '1' }] });
    expect(calls()).toEqual([]);
  });

  test('is not asked for if there is no object', async () => {
    expect((await ask('{ orders(first: 0) { estimate { price } } order(id: 9) { estimate { price } } }')).data).toEqual(
      {
        orders: [],
        order: null,
      },
    );
    expect(calls()).toEqual([]);
  });

  test('has values, nulls and errors for each object', async () => {
    world.answerBy(({ body }) =>
      ((body as CallBody).inputs ?? []).map((input, index) =>
        [
          { data: priceOf(input) },
          { data: null },
          { error: { message: 'no such route', code: 'no-route', extensions: { route: 9 } } },
        ].at(index),
      ),
    );
    expect(await ask(PRICES)).toEqual({
      data: { orders: [{ estimate: { price: 50 } }, { estimate: null }, { estimate: null }, { estimate: null }] },
      errors: [
        {
          message: 'no such route',
          path: ['orders', 2, 'estimate'],
          extensions: { code: 'no-route', path: '$', route: 9, service: 'estimate' },
        },
      ],
    });
  });

  test('reports an error at each object and alias that shares the key', async () => {
    world.answerBy(() => [{ error: { message: 'closed' } }]);
    const { data, errors } = await ask(
      '{ a: order(id: 1) { estimate { price } e: estimate { days } } b: order(id: 1) { estimate { price } } }',
    );
    expect(data).toEqual({ a: { estimate: null, e: null }, b: { estimate: null } });
    expect(errors?.map(({ path }) => path?.join('.')).sort()).toEqual(['a.e', 'a.estimate', 'b.estimate']);
    expect(errors?.[0]).toMatchObject({ message: 'closed', extensions: { code: 'unexpected', service: 'estimate' } });
  });

  test('leaves out what the type does not have, and marks what does not fit it for its object only', async () => {
    world.answerBy(() => [{ data: { price: 1, more: 2 } }, { data: { days: 3 } }, { data: 'x' }]);
    const { data, errors } = await ask(PRICES);
    expect(data).toEqual({ orders: [{ estimate: { price: 1 } }, ...[0, 1, 2].map(() => ({ estimate: null }))] });
    expect(errors).toMatchObject([
      {
        message: 'field "price" expected in webhook response, but not found',
        path: ['orders', 1, 'estimate'],
        extensions: { code: 'unexpected', service: 'estimate' },
      },
      {
        message: 'got scalar String for the action webhook response, expecting Estimate',
        path: ['orders', 2, 'estimate'],
      },
    ]);
  });

  test('fails for all objects if the handler refuses the call', async () => {
    world.answerBy((_, response) => reply(response, 403, { message: 'not today', code: 'closed' }));
    const { data, errors } = await ask(PRICES);
    expect(data).toEqual({ orders: [0, 1, 2, 3].map(() => ({ estimate: null })) });
    expect(errors).toMatchObject(
      [0, 1, 2].map((index) => ({
        message: 'not today',
        path: ['orders', index, 'estimate'],
        extensions: { code: 'closed', service: 'estimate' },
      })),
    );
  });

  test('is no root field', async () => {
    expect((await ask('{ estimate(id: 1, weight: 2) { price } }')).errors).toMatchObject([
      { message: expect.stringMatching(/^Cannot query field "estimate" on type "Query"/) },
    ]);
    const { data } = await ask(
      '{ __type(name: "Order") { fields { name args { name defaultValue type { name } } } } __schema { types { name } } }',
    );
    const { __type: type, __schema: schema } = data as {
      __type: { fields: { name: string }[] };
      __schema: { types: { name: string }[] };
    };
    expect(type.fields.find(({ name }) => name === 'estimate')).toEqual({
      name: 'estimate',
      args: [{ name: 'express', defaultValue: 'false', type: { name: 'Boolean' } }],
    });
    const names = schema.types.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Estimate', 'Leg']));
    expect(names.filter((name) => name.startsWith('portico'))).toEqual([]);
  });
});

test('a list is split into calls of the maximum size', async () => {
  const small = await keep(openFieldWorld({ actions: [estimate({ batch: true, max_batch_size: 2 })] }));
  const { data } = await small.ask(PRICES);
  expect(data).toEqual({
    orders: [50, 80, 50, null].map((price) => ({ estimate: price === null ? null : { price } })),
  });
  expect(small.calls().map(({ inputs }) => inputs?.map(({ id }) => id))).toEqual([['1', '2'], ['3']]);
  small.answerBy(({ body }) => {
    const { inputs = [] } = body as CallBody;
    return inputs.length === 1 ? [] : inputs.map((input) => ({ data: priceOf(input) }));
  });
  // A failed call fails for its own objects only.
  expect(await small.ask(PRICES)).toMatchObject({
    data: {
      orders: [{ estimate: { price: 50 } }, { estimate: { price: 80 } }, { estimate: null }, { estimate: null }],
    },
    errors: [{ path: ['orders', 2, 'estimate'] }],
  });
});
