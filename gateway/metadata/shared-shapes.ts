import { z } from 'zod';
import { mapping } from './mapping.ts';

/** A header sent upstream: a fixed value (itself an environment template) or one read from the environment. */
const configuredHeader = mapping({
  name: z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected a header name'),
  value: z.string().optional(),
  value_from_env: z
    .string()
    .refine(
      (name) => !name.startsWith('HASURA_GRAPHQL_'),
      'env variables starting with "HASURA_GRAPHQL_" are not allowed in value_from_env',
    )
    .optional(),
}).refine((header) => (header.value === undefined) !== (header.value_from_env === undefined), {
  error: 'expected exactly one of value and value_from_env',
});

export type ConfiguredHeader = z.output<typeof configuredHeader>;

export const configuredHeaders = z.array(configuredHeader).default([]);

export const timeoutSeconds = (fallback: number) => z.number().positive().max(3600).default(fallback);

export const name = z.string().min(1);

/** GraphQL's Name, without the two underscores that belong to introspection. */
export const graphqlName = z.string().regex(/^(?!__)[A-Za-z_]\w*$/, 'expected a GraphQL name');
