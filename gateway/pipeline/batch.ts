import type { Document } from './document/index.ts';
import { batchTooLarge, tooManyIntrospections } from './errors.ts';
import type { RoleLimits } from './validation/index.ts';

/** The operations of one batch request, counted together. */
export interface Batch {
  readonly size: number;
  /** Root fields `__schema` and `__type` of the operations that have been prepared. */
  introspections: number;
}

/** Counts an operation against the limits of its batch. @throws GatewayError when the batch exceeds one. */
export function limitBatch(batch: Batch, { cost }: Document, limits: RoleLimits): void {
  if (batch.size > limits.batch) throw batchTooLarge(limits.batch);
  batch.introspections += cost.introspections;
  if (batch.introspections > limits.introspections) throw tooManyIntrospections(limits.introspections);
}
