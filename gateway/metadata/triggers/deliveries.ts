import { z } from 'zod';
import { workHandler } from '../actions/index.ts';
import { configuredHeaders, mapping, queueName, resilience } from '../shapes/index.ts';
import { webhookUrl, withOneTarget } from './cron-triggers.ts';
import { type RetryDefaults, retryConf } from './retry-conf.ts';

/** The session variable with the tenant. The handler of an event always gets the event's tenant. */
const TENANT_VARIABLE = 'x-hasura-tenant-id';

const DELIVERY_RETRIES: RetryDefaults = { retries: 10, interval: 5, timeout: 30, tolerance: 3 * 86_400 };

/** A text, or a prefix followed by `*`. */
const pattern = z
  .string()
  .regex(/^[^*]+\*?$|^\*$/, 'expected a text, or one with a single "*" at its end')
  .max(1_024);
const patterns = z.array(pattern).min(1);

const tenantId = z
  .union([z.string().min(1).max(255), z.int()], { error: 'expected the id of a tenant' })
  .transform(String);

/** The tenants that a producer may name, or whose events a subscription receives. All tenants must be allowed explicitly. */
const tenantScope = {
  tenants: z.array(tenantId).min(1).optional(),
  all_tenants: z.literal(true, { error: 'expected true' }).optional(),
};

const variableName = z.string().min(1);

const producer = mapping({
  name: queueName,
  comment: z.string().nullish(),
  secret_from_env: variableName,
  /** Accepted in addition, while the producer rotates its secret. */
  previous_secret_from_env: variableName.nullish(),
  sources: patterns,
  types: patterns,
  ...tenantScope,
});

/** The attribute of an event whose value is the order key. */
const orderKey = z
  .string()
  .regex(/^[a-z0-9]{1,20}$/, 'expected none, tenant, or an attribute of CloudEvents such as subject')
  .nullish()
  .transform((key) => (key === 'none' ? undefined : (key ?? undefined)));

const subscription = mapping({
  name: queueName,
  comment: z.string().nullish(),
  types: patterns,
  ...tenantScope,
  webhook: webhookUrl.optional(),
  /** Saved operations that the gateway runs itself, in place of the webhook. */
  handler: workHandler.optional(),
  headers: configuredHeaders,
  order_key: orderKey,
  retry_conf: retryConf(DELIVERY_RETRIES),
  /** Required for a webhook. */
  secret_from_env: variableName.optional(),
  /** Also used for signing, while the webhook rotates its secret. */
  previous_secret_from_env: variableName.nullish(),
  resilience: resilience.optional(),
})
  .superRefine(withOneTarget)
  .superRefine(({ webhook, secret_from_env, handler }, context) => {
    if (webhook && secret_from_env === undefined)
      context.addIssue({ code: 'custom', path: ['secret_from_env'], message: 'is missing: expected string' });
    if (handler?.session_variables && TENANT_VARIABLE in handler.session_variables)
      context.addIssue({
        code: 'custom',
        path: ['handler', 'session_variables'],
        message: `${TENANT_VARIABLE} is the tenant of the event: remove it`,
      });
  });

function withOneScope<Item extends { readonly tenants?: unknown; readonly all_tenants?: unknown }>(
  items: readonly Item[],
  context: z.RefinementCtx,
): void {
  items.forEach((item, index) => {
    if ((item.tenants === undefined) === (item.all_tenants === undefined))
      context.addIssue({ code: 'custom', path: [index], message: 'expected exactly one of tenants and all_tenants' });
  });
}

/** `deliveries.yaml`, Portico's own: producers of events, and webhooks that receive them. */
export const deliveriesShape = mapping({
  producers: z.array(producer).superRefine(withOneScope).default([]),
  subscriptions: z.array(subscription).superRefine(withOneScope).default([]),
});

export type DeliveriesMetadata = z.output<typeof deliveriesShape>;
export type ProducerMetadata = DeliveriesMetadata['producers'][number];
export type SubscriptionMetadata = DeliveriesMetadata['subscriptions'][number];
