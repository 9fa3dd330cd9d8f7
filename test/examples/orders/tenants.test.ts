import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type OrdersService, startOrders } from './service.ts';

const ACME = 1;
const GLOBEX = 2;

let orders: OrdersService;
beforeAll(async () => {
  orders = await startOrders();
});
afterAll(() => orders.stop());

function cancel(sessionVariables: Record<string, string>, id: string) {
  return orders.post(undefined, '/actions/cancel-order', {
    action: { name: 'cancelOrder' },
    session_variables: sessionVariables,
    input: { id },
    request_query: 'mutation { cancelOrder(id: "…") { status } }',
  });
}

function ids(list: { id: string }[]): string[] {
  return list.map(({ id }) => id);
}

test('in a batch, an order of another tenant is an error of its own, as one that does not exist', async () => {
  const { status, body } = await orders.post(undefined, '/actions/delivery', {
    action: { name: 'delivery' },
    session_variables: { 'x-hasura-tenant-id': String(ACME) },
    inputs: [{ id: 'globex-2001' }, { id: 'acme-1001' }, { id: 'none' }],
  });
  const missing = { error: { message: 'there is no such order', code: 'order-not-found' } };
  expect([status, body]).toEqual([200, [missing, { data: { parcels: 1, due: '2026-01-19' } }, missing]]);
});

describe('a tenant sees its own orders', () => {
  test('over GraphQL', async () => {
    const { body } = await orders.graphql(ACME, '{ orders { id item quantity status placed_at } }');
    expect(ids(body.data.orders)).toEqual(['acme-1001', 'acme-1002', 'acme-1003']);
    expect(body.data.orders[0]).toEqual({
      id: 'acme-1001',
      item: 'Anvil, 50 kg',
      quantity: 2,
      status: 'shipped',
      placed_at: '2026-01-12T09:30:00.000Z',
    });
  });

  test('one by one over GraphQL', async () => {
    const { body } = await orders.graphql(GLOBEX, '{ order(id: "globex-2002") { item } }');
    expect(body.data.order.item).toBe('Weather machine, used');
  });

  test('over plain HTTP', async () => {
    expect(ids((await orders.get(GLOBEX, '/orders')).body)).toEqual(['globex-2001', 'globex-2002']);
    expect((await orders.get(GLOBEX, '/orders/globex-2002')).body).toMatchObject({ id: 'globex-2002', quantity: 1 });
  });

  test('as a CSV file', async () => {
    const { headers, text } = await orders.get(GLOBEX, '/orders/export.csv');
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('content-disposition')).toContain('orders.csv');
    expect(text.split('\r\n')).toEqual([
      'id,item,quantity,status,placed_at',
      '"globex-2001","Hammock, double",40,"shipped","2026-01-20T11:45:00.000Z"',
      '"globex-2002","Weather machine, used",1,"placed","2026-03-01T16:20:00.000Z"',
      '',
    ]);
  });

  test('orders do not show their tenant', async () => {
    expect((await orders.get(ACME, '/orders')).text).not.toContain('tenant');
  });
});

describe("another tenant's order does not exist", () => {
  test('over GraphQL', async () => {
    const { body } = await orders.graphql(ACME, '{ order(id: "globex-2002") { id } }');
    expect(body).toEqual({ data: { order: null } });
  });

  test('over plain HTTP', async () => {
    const { status, body } = await orders.get(ACME, '/orders/globex-2002');
    expect([status, body.code]).toEqual([404, 'order-not-found']);
  });

  test('for cancelling', async () => {
    const { status, body } = await cancel({ 'x-hasura-tenant-id': '1' }, 'globex-2002');
    expect([status, body.code]).toEqual([404, 'order-not-found']);
    expect((await orders.get(GLOBEX, '/orders/globex-2002')).body.status).toBe('placed');
  });

  test('in what a tenant has just ordered', async () => {
    const placed = await orders.graphql(ACME, 'mutation { placeOrder(item: "Magnet", quantity: 3) { id } }');
    const { id } = placed.body.data.placeOrder;
    expect((await orders.get(ACME, `/orders/${id}`)).body).toMatchObject({ item: 'Magnet', status: 'placed' });
    expect((await orders.get(GLOBEX, `/orders/${id}`)).status).toBe(404);
    expect((await orders.get(GLOBEX, '/orders')).text).not.toContain(id);
  });

  test('for a tenant that has none', async () => {
    expect((await orders.get(3, '/orders')).body).toEqual([]);
  });
});

describe('without a tenant nothing is answered', () => {
  test.each(['/orders', '/orders/acme-1001', '/orders/export.csv'])('GET %s', async (path) => {
    const { status, body } = await orders.get(undefined, path);
    expect([status, body.code]).toEqual([401, 'tenant-missing']);
  });

  test.each([
    '{ orders { id } }',
    '{ order(id: "acme-1001") { id } }',
    'mutation { placeOrder(item: "x", quantity: 1) { id } }',
  ])('%s', async (query) => {
    const { body } = await orders.graphql(undefined, query);
    expect(body.errors[0].extensions.code).toBe('tenant-missing');
    expect(body.data?.order ?? null).toBeNull();
  });

  test('the webhook, which does not look at headers', async () => {
    const { status, body } = await orders.post(ACME, '/actions/cancel-order', {
      action: { name: 'cancelOrder' },
      session_variables: { 'x-hasura-role': 'user' },
      input: { id: 'acme-1002' },
    });
    expect([status, body.code]).toEqual([401, 'tenant-missing']);
  });

  test.each(['delivery', 'order-status'])('the webhook %s', async (webhook) => {
    const { status, body } = await orders.post(ACME, `/actions/${webhook}`, {
      action: { name: webhook },
      session_variables: { 'x-hasura-role': 'user' },
      input: { id: 'acme-1002' },
      inputs: [{ id: 'acme-1002' }],
    });
    expect([status, body.code]).toEqual([401, 'tenant-missing']);
  });

  test.each(['', '0', '-1', '1.0', '1, 2', ' 1', '1e0', 'acme', '99999999999'])(
    'with the tenant "%s"',
    async (tenant) => {
      const { status } = await orders.get(undefined, '/orders', { 'x-hasura-tenant-id': tenant });
      // fetch strips spaces around a value, so " 1" arrives as "1".
      expect(status).toBe(tenant.trim() === '1' ? 200 : 401);
    },
  );

  test('but the schema can be read, which is how Portico learns it', async () => {
    const { body } = await orders.graphql(undefined, '{ __schema { queryType { fields { name } } } }');
    expect(body.data.__schema.queryType.fields).toEqual([{ name: 'orders' }, { name: 'order' }]);
  });
});
