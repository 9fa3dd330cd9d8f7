import { z } from 'zod';
import {
  configuredHeaders,
  flag,
  graphqlName,
  listOf,
  mapping,
  name,
  relationshipsShape,
  resilience,
  serviceAssertion,
  sessionCondition,
  timeoutSeconds,
} from '../shapes/index.ts';
import { requestTransform, responseTransform } from './action-transforms.ts';
import { actionHandler } from './handler-shapes.ts';
import { scalarCheckShape } from './scalar-check.ts';

/** Repeats the definitions of `actions.graphql`, which takes precedence. Some versions of Hasura's CLI write it. */
const saidInSdl = z.array(z.unknown()).nullish();

const customType = { name: graphqlName, description: z.string().nullish(), fields: saidInSdl };
const customTypeShape = mapping(customType);
const inputObjectType = mapping({
  ...customType,
  /** Portico's own: whether exactly one field has a value, like `@oneOf` in `actions.graphql`. */
  one_of: z.boolean().nullish(),
});
const unionType = mapping({ name: graphqlName, description: z.string().nullish(), types: saidInSdl });
const scalarType = mapping({
  ...customType,
  /** Portico's own: which values the scalar allows, like `@check` in `actions.graphql`. */
  check: scalarCheckShape.nullish(),
});
const enumType = mapping({
  ...customType,
  values: z
    .array(mapping({ value: graphqlName, description: z.string().nullish(), is_deprecated: z.boolean().nullish() }))
    .nullish(),
});
const objectType = mapping({
  ...customType,
  /** Portico's own: relationships to remote schemas, in the same shape as in remote schemas. */
  relationships: relationshipsShape,
});

/** The name of a header (RFC 9110 section 5.6.2), in lower case. */
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, 'expected the name of a header')
  .transform((given) => given.toLowerCase());

/** How the jobs of an asynchronous action are run. */
const jobShape = mapping({
  max_attempts: z.int().min(1).max(1_000).optional(),
  max_age_seconds: z.int().min(1).max(31_536_000).optional(),
  concurrency: z.int().min(1).max(10_000).optional(),
  tenant_concurrency: z.int().min(1).max(10_000).optional(),
  /** The session variable that orders the jobs. Jobs with the same value run one after another. */
  order_by_session_variable: z
    .string()
    .regex(/^x-hasura-/i, 'expected the name of a session variable, x-hasura-…')
    .transform((variable) => variable.toLowerCase())
    .optional(),
  /** Headers with credentials that jobs keep if client headers are forwarded. By default no such header is kept. */
  keep_credentials: z.array(headerName).optional(),
  /** Whether the webhook can report its progress, and the result field shows it. */
  progress: z.boolean().optional(),
});

/** How the events of a subscription are read. */
const subscriptionShape = mapping({
  /** Whether an event is something that happened or the whole state. */
  events: z.enum(['events', 'state'], { error: 'expected events or state' }).default('events'),
  idle_timeout_seconds: z.int().min(1).max(86_400).default(300),
  max_event_bytes: z.int().min(1_024).max(16_777_216).default(1_048_576),
  max_events_per_second: z.int().min(1).max(10_000).default(100),
});

/** The settings of a subscription whose action has no `subscription`. */
export const DEFAULT_SUBSCRIPTION = subscriptionShape.parse({});

const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** `field` of an action's definition, Portico's own: the type whose field the action is instead of a root field. */
const fieldShape = mapping({
  /** The type's name in the graph. Any source may have the type. */
  type: graphqlName.refine((type) => !ROOT_TYPES.has(type), { error: 'expected a type other than the root types' }),
  name: graphqlName,
  /** The fields of an object whose values are arguments of the action, such as `id owner { id }`. */
  key: z.string().min(1),
  /** Whether one call of the handler takes all objects. Otherwise each object is a call. */
  batch: flag,
  /** The maximum number of objects in one call. */
  max_batch_size: z.int().min(1).max(10_000).optional(),
});

/** `actions.yaml`: webhooks that resolve root fields. `actions.graphql` defines their types. */
export const actionsShape = mapping({
  actions: listOf(
    mapping({
      name: graphqlName,
      comment: z.string().nullish(),
      definition: mapping({
        kind: z
          .enum(['', 'synchronous', 'asynchronous', 'subscription'], {
            error: 'expected synchronous, asynchronous or subscription',
          })
          .nullish()
          .transform((kind) => kind || 'synchronous'),
        type: z
          .enum(['query', 'mutation', 'subscription'], { error: 'expected query, mutation or subscription' })
          .nullish(),
        arguments: saidInSdl,
        output_type: z.string().nullish(),
        /** A URL, or Portico's own: saved operations that the gateway runs itself. */
        handler: actionHandler,
        forward_client_headers: flag,
        ignored_client_headers: z
          .array(z.string())
          .nullish()
          .transform((names) => names ?? undefined),
        headers: configuredHeaders,
        timeout: z.preprocess((seconds) => seconds ?? undefined, timeoutSeconds(30)),
        request_transform: requestTransform.nullish(),
        response_transform: responseTransform.nullish(),
        /** Portico's own: the secret for signing calls of this webhook, instead of the global one. */
        webhook_signature: mapping({ secret_from_env: z.string().min(1) }).nullish(),
        service_assertion: serviceAssertion,
        /** Portico's own: whether the action neither needs nor verifies a token, such as a login. */
        authentication_field: z.boolean().nullish(),
        /** Portico's own: the type whose field the action is, instead of a root field. */
        field: fieldShape.nullish(),
        /** Portico's own: how the webhook is called. */
        resilience: resilience.optional(),
        /** Portico's own: how the jobs of an asynchronous action run. */
        job: jobShape.nullish(),
        /** Portico's own: how the events of an action of the kind `subscription` are read. */
        subscription: subscriptionShape.nullish(),
      }),
      permissions: listOf(
        mapping({
          role: name,
          comment: z.string().nullish(),
          /** Portico's own: the condition that sessions of the role must meet to call the action. */
          session_condition: sessionCondition.optional(),
        }),
      ),
    }),
  ),
  custom_types: mapping({
    enums: listOf(enumType),
    input_objects: listOf(inputObjectType),
    /** Portico's own, like `unions`. */
    interfaces: listOf(customTypeShape),
    objects: listOf(objectType),
    scalars: listOf(scalarType),
    unions: listOf(unionType),
  })
    .nullish()
    .transform(
      (types) => types ?? { enums: [], input_objects: [], interfaces: [], objects: [], scalars: [], unions: [] },
    ),
});

export type ActionsMetadata = z.output<typeof actionsShape>;
export type ActionMetadata = ActionsMetadata['actions'][number];
