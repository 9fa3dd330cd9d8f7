import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeDataDir } from '../../e2e/portico.ts';
import { type OrdersService, startOrders } from './service.ts';

const directory = makeDataDir();
const file = join(directory, 'orders.json');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let orders: OrdersService;
beforeEach(async () => {
  orders = await startOrders(file);
});
afterEach(async () => {
  await orders.stop();
  rmSync(file, { force: true });
});

const PLACE = 'mutation ($item: String!, $quantity: Int!) { placeOrder(item: $item, quantity: $quantity) { id item } }';

function place(item: string, quantity: number) {
  return orders.graphql(1, PLACE, { item, quantity });
}

function cancel(input: unknown, tenant = '1') {
  return orders.post(undefined, '/actions/cancel-order', {
    action: { name: 'cancelOrder' },
    session_variables: { 'x-hasura-tenant-id': tenant },
    input,
  });
}

describe('placing an order', () => {
  test('is kept through a restart', async () => {
    const { id } = (await place('Magnet', 3)).body.data.placeOrder;
    await orders.stop();
    orders = await startOrders(file);
    expect((await orders.get(1, `/orders/${id}`)).body).toMatchObject({
      item: 'Magnet',
      quantity: 3,
      status: 'placed',
    });
  });

  test('many at once are all kept', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => place(`item ${n}`, n + 1)));
    await orders.stop();
    orders = await startOrders(file);
    const items = (await orders.get(1, '/orders')).body.map(({ item }: { item: string }) => item);
    for (let n = 0; n < 40; n++) expect(items).toContain(`item ${n}`);
  });

  test('that cannot be kept is not placed, and the reason stays inside', async () => {
    // A directory where the new file would be written makes writing fail, for root too.
    mkdirSync(`${file}.next`);
    const { body, text } = await place('Magnet', 1);
    expect(body.errors[0]).toMatchObject({ message: 'internal error', extensions: { code: 'internal-error' } });
    expect(text).not.toContain(directory);
    expect((await orders.get(1, '/orders')).text).not.toContain('Magnet');
    expect(orders.log.some((entry) => entry.level === 'error')).toBe(true);
    rmdirSync(`${file}.next`);
    expect((await place('Magnet', 1)).body.data.placeOrder.item).toBe('Magnet');
  });

  test.each([
    ['', 1, 'item must not be empty'],
    ['   ', 1, 'item must not be empty'],
    ['x'.repeat(201), 1, 'item must not be longer than 200 characters'],
    ['two\nlines', 1, 'item must be a single line of text'],
    ['Magnet', 0, 'quantity must be at least 1'],
    ['Magnet', -5, 'quantity must be at least 1'],
    ['Magnet', 1_000_001, 'quantity must be at most 1000000'],
  ])('of %j, %d is refused: %s', async (item, quantity, message) => {
    const { body } = await place(item, quantity);
    expect(body.errors).toEqual([expect.objectContaining({ message, extensions: { code: 'invalid-input' } })]);
    expect((await orders.get(1, '/orders')).body).toHaveLength(3);
  });

  test('of the least and the most is accepted', async () => {
    expect((await place('a', 1)).body.errors).toBeUndefined();
    expect((await place('x'.repeat(200), 1_000_000)).body.errors).toBeUndefined();
  });
});

describe('cancelling an order', () => {
  test('is kept, and doing it again changes nothing', async () => {
    expect(await cancel({ id: 'acme-1002' })).toMatchObject({
      status: 200,
      body: { id: 'acme-1002', status: 'cancelled' },
    });
    expect(await cancel({ id: 'acme-1002' })).toMatchObject({
      status: 200,
      body: { id: 'acme-1002', status: 'cancelled' },
    });
    await orders.stop();
    orders = await startOrders(file);
    expect((await orders.get(1, '/orders/acme-1002')).body.status).toBe('cancelled');
  });

  test('that is on its way is refused, in the way that Hasura wants it', async () => {
    const { status, body } = await cancel({ id: 'acme-1001' });
    expect({ status, body }).toEqual({
      status: 409,
      body: { message: 'the order has already been shipped', code: 'order-shipped' },
    });
  });

  test('that never was is refused', async () => {
    expect(await cancel({ id: 'acme-9999' })).toMatchObject({ status: 404, body: { code: 'order-not-found' } });
  });

  test.each([[undefined], [{}], [{ id: 7 }], ['acme-1002']])('with the input %j is refused', async (input) => {
    expect(await cancel(input)).toMatchObject({ status: 400, body: { code: 'invalid-input' } });
  });
});

describe('what else can be sent', () => {
  test('a body that is no JSON is refused without being repeated', async () => {
    const response = await fetch(`${orders.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"secret-looking',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('secret-looking');
  });

  test('an address where nothing is gets a 404', async () => {
    expect(await orders.get(1, '/nothing')).toMatchObject({ status: 404, body: { code: 'not-found' } });
  });

  test('an item that a spreadsheet would run is text in the export', async () => {
    for (const item of ['=1+1', '+1', '-1', '@SUM(A1)', ' =1', 'say "hi"']) await place(item, 1);
    const { text } = await orders.get(1, '/orders/export.csv');
    for (const cell of [`"'=1+1"`, `"'+1"`, `"'-1"`, `"'@SUM(A1)"`, '"say ""hi"""'])
      expect(text).toContain(`,${cell},`);
  });
});

test('requests are logged with the id that came with them, but not the questions for its health', async () => {
  expect(await orders.get(undefined, '/healthz')).toMatchObject({ status: 200 });
  const { headers } = await orders.get(1, '/orders', { 'x-request-id': 'req-7' });
  expect(headers.get('x-request-id')).toBe('req-7');
  expect(orders.log).toEqual([
    expect.objectContaining({ service: 'orders', request_id: 'req-7', method: 'GET', path: '/orders', status: 200 }),
  ]);
});

test('a file that holds something else is refused at the start and left as it is', async () => {
  const other = join(directory, 'other.json');
  writeFileSync(other, '{"mine":true}');
  await expect(startOrders(other)).rejects.toThrow(`ORDERS_DATA: ${other} does not hold a list of orders`);
  expect(readFileSync(other, 'utf8')).toBe('{"mine":true}');
});

test('a file that cannot be written is refused at the start', async () => {
  await expect(startOrders('/proc/portico/orders.json')).rejects.toThrow('ORDERS_DATA: cannot write /proc/portico');
});

describe('following the orders', () => {
  /** The lists of items that a subscription gives, as they come. */
  async function* followed(tenant: string, query = 'subscription { orders { item status } }') {
    const response = await fetch(`${orders.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-hasura-tenant-id': tenant },
      body: JSON.stringify({ query }),
    });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata:(.*)$/.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        if (event === 'next') yield JSON.parse(data ?? '');
      }
    }
  }

  test('gives them as they are, and again after each change of the tenant', async () => {
    const events = followed('1');
    const next = async () =>
      (await events.next()).value.data.orders.map(({ item, status }: Row) => `${item} ${status}`);
    const before = await next();
    expect(before).toHaveLength(3);
    await orders.graphql(2, PLACE, { item: 'of another tenant', quantity: 1 });
    await place('Kite', 1);
    expect(await next()).toEqual([...before, 'Kite placed']);
    await cancel({ id: 'acme-1002' });
    expect((await next()).filter((text: string) => text.endsWith('cancelled'))).toHaveLength(1);
    await events.return();
  });

  test('ends when the service stops, and gives nothing without a tenant', async () => {
    const events = followed('1');
    await events.next();
    const ended = (async () => {
      for await (const _ of events);
    })();
    expect((await followed('x').next()).value.errors).toEqual([
      expect.objectContaining({ extensions: { code: 'tenant-missing' } }),
    ]);
    expect((await followed('1', '{ nothing }').next()).done).toBe(true);
    await orders.stop();
    await ended;
    orders = await startOrders(file);
  });
});

interface Row {
  readonly item: string;
  readonly status: string;
}

test('the stream of an order that can still change is cut when the service stops, so that it is opened again', async () => {
  const response = await fetch(`${orders.url}/actions/order-status`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      action: { name: 'orderStatus' },
      session_variables: { 'x-hasura-tenant-id': '1' },
      input: { id: 'acme-1002' },
    }),
  });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toBe('data: {"id":"acme-1002","status":"placed"}\n\n');
  const [rest] = await Promise.allSettled([reader?.read(), orders.stop()]);
  expect(rest.status).toBe('rejected');
  orders = await startOrders(file);
});
