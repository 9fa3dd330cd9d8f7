import { z } from 'zod';
import { OrderProblem } from './problem.ts';

/** An order as it is stored. All but the tenant is also what callers see. */
export const orderRecord = z.object({
  id: z.string(),
  tenant_id: z.number().int(),
  item: z.string(),
  quantity: z.number().int(),
  status: z.enum(['placed', 'shipped', 'cancelled']),
  /** ISO 8601, UTC. */
  placed_at: z.string(),
});

export type OrderRecord = z.infer<typeof orderRecord>;

export type Order = Omit<OrderRecord, 'tenant_id'>;

/** What a caller wants to order. */
export interface Wish {
  item: string;
  quantity: number;
}

const wish = z.object({
  item: z
    .string()
    .trim()
    .min(1, 'item must not be empty')
    .max(200, 'item must not be longer than 200 characters')
    // Line breaks and other control characters would spoil logs and exports.
    .refine((text) => !/\p{Cc}/u.test(text), 'item must be a single line of text'),
  quantity: z
    .number()
    .int('quantity must be a whole number')
    .min(1, 'quantity must be at least 1')
    .max(1_000_000, 'quantity must be at most 1000000'),
});

/** @throws Problem `invalid-input` that says what is wrong, without repeating what was sent. */
export function checkWish(given: Wish): Wish {
  const checked = wish.safeParse(given);
  if (!checked.success)
    throw new OrderProblem('invalid-input', checked.error.issues.map((issue) => issue.message).join('; '));
  return checked.data;
}

/** The order without the tenant, which its owner knows, and other callers must not learn. */
export function visible({ tenant_id: _, ...order }: OrderRecord): Order {
  return order;
}
