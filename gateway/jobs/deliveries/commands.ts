import { z } from 'zod';
import { mapping, problemsOfShape, queueName } from '../../metadata/index.ts';
import type { Invocations } from '../engine/index.ts';
import { DELIVERY_KIND } from './delivery-runner.ts';
import { invalidArguments, invocationsUnavailable } from './errors.ts';

const MAX_LIMIT = 1_000;

const invocationArguments = mapping({
  subscription: queueName.nullish(),
  delivery_id: z.guid({ error: 'expected a UUID' }).nullish(),
  limit: z.int().min(0).max(MAX_LIMIT).nullish(),
  offset: z.int().min(0).max(2_147_483_647).nullish(),
});

/** The commands of the metadata API about deliveries, by name. */
export function deliveryCommands(
  invocations: Pick<Invocations, 'page'>,
): ReadonlyMap<string, (args: unknown) => Promise<unknown>> {
  return new Map([
    [
      'get_delivery_invocations',
      async (args: unknown) => {
        const parsed = invocationArguments.safeParse(args ?? {});
        if (!parsed.success) {
          const [problem] = problemsOfShape(parsed.error);
          throw invalidArguments(problem?.message ?? 'are not valid', problem?.path ?? []);
        }
        const { subscription, delivery_id: job, limit, offset } = parsed.data;
        const page = {
          kind: DELIVERY_KIND,
          queue: subscription ?? undefined,
          job: job ?? undefined,
          limit: limit ?? MAX_LIMIT,
          offset: offset ?? 0,
        };
        const rows = await invocations.page(page).catch((error: unknown) => {
          throw Object.assign(invocationsUnavailable(), { cause: error });
        });
        return {
          invocations: rows.map(({ job: delivery, createdAt, ...row }) => ({
            ...row,
            delivery_id: delivery,
            created_at: createdAt.toISOString(),
          })),
        };
      },
    ],
  ]);
}
