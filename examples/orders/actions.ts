import type { RequestHandler } from 'express';
import { z } from 'zod';
import { HEARTBEAT_MS } from './event-stream.ts';
import type { OrderBook } from './order-book.ts';
import { OrderProblem } from './problem.ts';
import { tenantOfSession } from './tenant.ts';

const orderId = z.object({ id: z.string() });

/** The body of an action webhook, as Hasura and Portico send it. */
const actionCall = z.object({
  action: z.object({ name: z.string() }),
  session_variables: z.record(z.string(), z.string()),
  input: orderId,
});

/** The body for a field with `batch: true`: one input for each object. */
const batchCall = actionCall.omit({ input: true }).extend({ inputs: z.array(orderId) });

const ITEMS_PER_PARCEL = 10;
const DELIVERY_DAYS = 7;

/** The webhook behind the action `cancelOrder`: responds with `{ id, status }`, or a 4xx with `{ message, code }`. */
export function cancelOrder(book: OrderBook): RequestHandler {
  return async (request, response) => {
    const { tenant, input } = readCall(request.body);
    const { id, status } = await book.cancel(tenant, input.id);
    response.json({ id, status });
  };
}

/**
 * The webhook behind the field `Order.delivery`: responds with one entry for each input, in the same order. An entry is
 * `{ data }` or `{ error: { message, code } }`. An error concerns only its own order.
 */
export function delivery(book: OrderBook): RequestHandler {
  return (request, response) => {
    const call = batchCall.safeParse(request.body);
    if (!call.success) throw new OrderProblem('invalid-input', 'expected an action call with the inputs [{ id }]');
    const tenant = tenantOfSession(call.data.session_variables);
    const entries = call.data.inputs.map(({ id }) => {
      const order = book.find(tenant, id);
      if (!order) return { error: { message: 'there is no such order', code: 'order-not-found' } };
      if (order.status === 'cancelled') return { data: null };
      const due = new Date(order.placed_at);
      due.setUTCDate(due.getUTCDate() + DELIVERY_DAYS);
      const parcels = Math.ceil(order.quantity / ITEMS_PER_PARCEL);
      return { data: { parcels, due: due.toISOString().slice(0, 10) } };
    });
    response.json(entries);
  };
}

/** The webhook behind the subscription `orderStatus`: sends `{ id, status }` as a server-sent event after each change. */
export function orderStatus(book: OrderBook): RequestHandler {
  return async (request, response) => {
    const { tenant, input } = readCall(request.body);
    if (!book.find(tenant, input.id)) throw new OrderProblem('order-not-found', 'there is no such order');
    const left = new AbortController();
    response.once('close', () => left.abort());
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
    let sent: string | undefined;
    for await (const orders of book.follow(tenant, left.signal)) {
      const order = orders.find(({ id }) => id === input.id);
      if (!order || order.status === sent) continue;
      sent = order.status;
      response.write(`data: ${JSON.stringify({ id: order.id, status: order.status })}\n\n`);
      if (sent !== 'placed') break;
    }
    clearInterval(heartbeat);
    // An order that can still change has more events. Its stream is cut, so that the gateway calls the next process.
    if (sent === undefined || sent === 'placed') response.destroy();
    else response.end('event: complete\n\n');
  };
}

/** @throws Problem `invalid-input`, `tenant-missing` */
function readCall(body: unknown) {
  const call = actionCall.safeParse(body);
  if (!call.success) throw new OrderProblem('invalid-input', 'expected an action call with the input { id }');
  return { tenant: tenantOfSession(call.data.session_variables), input: call.data.input };
}
