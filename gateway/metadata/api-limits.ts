import { z } from 'zod';
import { mapping, name } from './shapes/index.ts';

const EXPECTED_PARAMETERS = 'expected IP, or a list of IP and of session variables such as x-hasura-user-id';

const ip = z
  .string()
  .regex(/^ip$/i, EXPECTED_PARAMETERS)
  .transform((): 'IP' => 'IP');

const sessionVariableName = z
  .string({ error: EXPECTED_PARAMETERS })
  .regex(/^x-hasura-(?!role$).+$/i, EXPECTED_PARAMETERS)
  .transform((text) => text.toLowerCase());

const uniqueParameters = z
  .union([ip.transform((one) => [one]), z.array(z.union([ip, sessionVariableName]))], { error: EXPECTED_PARAMETERS })
  .nullish()
  .transform((parameters): readonly string[] => parameters ?? []);

const rate = mapping({ max_reqs_per_min: z.int().min(1).max(10_000_000), unique_params: uniqueParameters });

const count = z.int().min(1).max(1_000_000);
const timeLimitSeconds = z.number().positive().max(3600);

/** A global limit, and limits of single roles. The global limit does not apply to a role with its own limit. */
function limit<Value extends z.ZodType>(value: Value) {
  return mapping({
    global: value.optional(),
    per_role: z
      .record(name, value)
      .nullish()
      .transform((roles): Readonly<Record<string, z.output<Value>>> => roles ?? {}),
  }).nullish();
}

/** `api_limits.yaml`: limits of operations, and rate limits. */
export const apiLimitsShape = mapping({
  disabled: z.boolean().default(false),
  depth_limit: limit(count),
  node_limit: limit(count),
  time_limit: limit(timeLimitSeconds),
  batch_limit: limit(count),
  rate_limit: limit(rate),
});

export type ApiLimits = z.output<typeof apiLimitsShape>;

/** The operations per minute, counted for each role and, within a role, for each combination of `unique_params`. */
export type RateLimit = z.output<typeof rate>;

type LimitName = Exclude<keyof ApiLimits, 'disabled'>;
type ValueOf<Name extends LimitName> = NonNullable<NonNullable<ApiLimits[Name]>['global']>;

/** Returns the limit of a role, or else the global one, or else undefined. */
export function apiLimit<Name extends LimitName>(
  limits: ApiLimits,
  limitName: Name,
  role: string,
): ValueOf<Name> | undefined {
  const found = limits[limitName];
  if (limits.disabled || !found) return undefined;
  const own = Object.hasOwn(found.per_role, role) ? found.per_role[role] : undefined;
  return (own ?? found.global) as ValueOf<Name> | undefined;
}
