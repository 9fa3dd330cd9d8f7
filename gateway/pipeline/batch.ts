import type { Document } from './document/index.ts';
import { batchTooLarge, tooManyIntrospections } from './errors.ts';
import type { RoleLimits } from './validation/index.ts';

/** A batch of operations in one request. Its operations share limits. */
export interface Batch {
  readonly size: number;
  /** The number of root fields `__schema` and `__type` in the operations prepared so far. */
  introspections: number;
}

/** Counts an operation against the limits of its batch. @throws GatewayError if the batch exceeds a limit. */
export function limitBatch(batch: Batch, { cost }: Document, limits: RoleLimits): void {
  if (batch.size > limits.batch) throw batchTooLarge(limits.batch);
  batch.introspections += cost.introspections;
  if (batch.introspections > limits.introspections) throw tooManyIntrospections(limits.introspections);
}
