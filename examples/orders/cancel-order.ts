import type { RequestHandler } from 'express';
import { z } from 'zod';
import type { OrderBook } from './order-book.ts';
import { OrderProblem } from './problem.ts';
import { tenantOfSession } from './tenant.ts';

/** The body of an action webhook, as Hasura and Portico send it. */
const actionCall = z.object({
  action: z.object({ name: z.string() }),
  session_variables: z.record(z.string(), z.string()),
  input: z.object({ id: z.string() }),
});

/** The webhook behind the action `cancelOrder`: answers `{ id, status }`, or a 4xx with `{ message, code }`. */
export function cancelOrder(book: OrderBook): RequestHandler {
  return async (request, response) => {
    const call = actionCall.safeParse(request.body);
    if (!call.success) throw new OrderProblem('invalid-input', 'expected an action call with the input { id }');
    const { id, status } = await book.cancel(tenantOfSession(call.data.session_variables), call.data.input.id);
    response.json({ id, status });
  };
}
