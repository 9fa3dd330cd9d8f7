import { z } from 'zod';
import { DAY_SECONDS } from '../../../platform/index.ts';
import { mapping } from '../shapes/index.ts';

const seconds = (fallback: number, most: number) =>
  z
    .number()
    .nonnegative()
    .max(most)
    .nullish()
    .transform((given) => given ?? fallback);

/** The defaults of `retry_conf`. Times are in seconds. */
export interface RetryDefaults {
  readonly retries: number;
  readonly interval: number;
  readonly timeout: number;
  readonly tolerance: number;
}

/** The defaults of Hasura's scheduled triggers. */
export const SCHEDULE_RETRIES: RetryDefaults = { retries: 0, interval: 10, timeout: 60, tolerance: 6 * 3_600 };

/** `retry_conf` in Hasura's format: how often and how long a webhook is retried. */
export function retryConf({ retries, interval, timeout, tolerance }: RetryDefaults) {
  return mapping({
    num_retries: z
      .number()
      .int()
      .min(0)
      .max(100)
      .nullish()
      .transform((given) => given ?? retries),
    retry_interval_seconds: seconds(interval, DAY_SECONDS),
    timeout_seconds: z
      .number()
      .positive()
      .max(3_600)
      .nullish()
      .transform((given) => given ?? timeout),
    tolerance_seconds: seconds(tolerance, 30 * DAY_SECONDS),
  })
    .nullish()
    .transform(
      (given) =>
        given ?? {
          num_retries: retries,
          retry_interval_seconds: interval,
          timeout_seconds: timeout,
          tolerance_seconds: tolerance,
        },
    );
}

export type RetryConf = z.output<ReturnType<typeof retryConf>>;
