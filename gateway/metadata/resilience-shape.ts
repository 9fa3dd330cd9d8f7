import { z } from 'zod';
import { mapping } from './mapping.ts';

const seconds = z.number().positive().max(3_600);
const percent = (from: number) => z.number().int().min(from).max(100);
const whole = (from: number, to: number) => z.number().int().min(from).max(to);

/** Ours: how a source is called. What is left out is as the settings say for all sources. */
export const resilience = mapping({
  connect_timeout_seconds: seconds.optional(),
  headers_timeout_seconds: seconds.optional(),
  retries: mapping({
    limit: whole(0, 10).optional(),
    budget_percent: percent(0).optional(),
    backoff_milliseconds: whole(0, 10_000).optional(),
  }).optional(),
  circuit_breaker: mapping({
    enabled: z.boolean().optional(),
    failure_percent: percent(1).optional(),
    window_seconds: seconds.optional(),
    minimum_requests: whole(1, 1_000_000).optional(),
    open_seconds: seconds.optional(),
    half_open_probes: whole(1, 1_000).optional(),
  }).optional(),
  concurrency: mapping({
    max_in_flight: whole(1, 100_000).optional(),
    max_queue: whole(0, 1_000_000).optional(),
    queue_timeout_seconds: seconds.optional(),
  }).optional(),
  deduplicate: z.boolean().optional(),
});

export type ResilienceMetadata = z.output<typeof resilience>;
