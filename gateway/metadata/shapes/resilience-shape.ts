import { z } from 'zod';
import { mapping } from './mapping.ts';

const durationSeconds = z.number().positive().max(3_600);
const percent = (from: number) => z.number().int().min(from).max(100);
const integerBetween = (from: number, to: number) => z.number().int().min(from).max(to);

/** Portico's own: how a source is called. The settings are the defaults. */
export const resilience = mapping({
  connect_timeout_seconds: durationSeconds.optional(),
  headers_timeout_seconds: durationSeconds.optional(),
  retries: mapping({
    limit: integerBetween(0, 10).optional(),
    budget_percent: percent(0).optional(),
    backoff_milliseconds: integerBetween(0, 10_000).optional(),
  }).optional(),
  circuit_breaker: mapping({
    enabled: z.boolean().optional(),
    failure_percent: percent(1).optional(),
    window_seconds: durationSeconds.optional(),
    minimum_requests: integerBetween(1, 1_000_000).optional(),
    open_seconds: durationSeconds.optional(),
    half_open_probes: integerBetween(1, 1_000).optional(),
  }).optional(),
  concurrency: mapping({
    max_in_flight: integerBetween(1, 100_000).optional(),
    max_queue: integerBetween(0, 1_000_000).optional(),
    queue_timeout_seconds: durationSeconds.optional(),
  }).optional(),
  deduplicate: z.enum(['never', 'unsent', 'in-flight']).optional(),
});

export type ResilienceMetadata = z.output<typeof resilience>;
