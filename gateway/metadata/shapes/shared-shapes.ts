import { z } from 'zod';
import { mapping } from './mapping.ts';

/** A list that may be absent or null, as Hasura writes some empty ones. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((list): readonly z.output<Item>[] => list ?? []);
}

/** A flag that is false by default. */
export const flag = z
  .boolean()
  .nullish()
  .transform((on) => on ?? false);

/** Headers that define how a message is sent (RFC 9110 section 7.6.1, RFC 9112 section 6). Metadata must not set them. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A header of upstream requests: a fixed value, which may be an environment template, or an environment variable. */
const configuredHeader = mapping({
  name: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected a header name')
    .refine((name) => !FRAMING_HEADERS.has(name.toLowerCase()), {
      error: 'this header cannot be set: it says how the message is sent',
    }),
  value: z.string().nullish(),
  value_from_env: z
    .string()
    .refine(
      (name) => !name.startsWith('HASURA_GRAPHQL_'),
      'env variables starting with "HASURA_GRAPHQL_" are not allowed in value_from_env',
    )
    .nullish(),
}).refine((header) => (header.value == null) !== (header.value_from_env == null), {
  error: 'expected exactly one of value and value_from_env',
});

export type ConfiguredHeader = z.output<typeof configuredHeader>;

export const configuredHeaders = listOf(configuredHeader);

/** Portico's own: whether the service receives service assertions, and their audience if it is not the source's name. */
export const serviceAssertion = z
  .union([z.boolean(), mapping({ audience: z.string().min(1).max(255) })], {
    error: 'expected true, false or an audience',
  })
  .nullish();

export const timeoutSeconds = (fallback: number) =>
  z
    .number()
    .positive()
    .max(3600)
    .nullish()
    .transform((seconds) => seconds ?? fallback);

export const name = z.string().min(1);

/** The name of a queue of jobs. It is part of an index and stored as PostgreSQL text, which cannot contain NUL. */
export const queueName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'expected a name without control characters');

/** A GraphQL name without the prefix `__`, which is reserved for introspection. */
export const graphqlName = z.string().regex(/^(?!__)[A-Za-z_]\w*$/, 'expected a GraphQL name');
