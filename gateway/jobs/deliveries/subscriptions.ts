import type { Metadata, OperationHandler, SubscriptionMetadata, ValuePath } from '../../metadata/index.ts';
import { openWebhook, type WebhookDependencies, type WebhookTarget } from '../../webhooks/jobs/index.ts';
import type { EventAttributeValue } from '../cloud-events/index.ts';
import { digestOf } from '../engine/index.ts';
import { matchesAny, tenantsOf } from './match.ts';

/** A webhook or a handler that receives events. */
export interface EventSubscription {
  readonly metadata: SubscriptionMetadata;
  readonly webhook: WebhookTarget | undefined;
  /** The saved operations that run in place of a webhook. */
  readonly handler: OperationHandler | undefined;
  /** Returns whether the subscription receives events of this type and tenant. */
  takes(type: string, tenant: string): boolean;
  /** Returns whether the subscription receives events of this tenant. */
  takesTenant(tenant: string): boolean;
}

/** Opens the subscriptions. Reports everything that does not fit the environment. */
export function openEventSubscriptions(
  { deliveries: { subscriptions }, operationHandlers }: Pick<Metadata, 'deliveries' | 'operationHandlers'>,
  dependencies: WebhookDependencies,
  report: (message: string, path: ValuePath) => void,
): ReadonlyMap<string, EventSubscription> {
  // Each subscription has its own secret: with a shared one, a receiver could impersonate the gateway at another receiver.
  const ownSecrets = { ...dependencies, webhookSecret: undefined };
  return new Map(
    subscriptions.map((metadata, index) => {
      const { name, webhook: url, secret_from_env, previous_secret_from_env } = metadata;
      const webhook =
        url &&
        openWebhook(
          { ...metadata, webhook: url, kind: 'subscription' },
          { secret_from_env, previous_secret_from_env },
          ownSecrets,
          (message, path) => report(message, ['subscriptions', index, ...path]),
        );
      const handler = operationHandlers.deliveries.get(name);
      const tenants = tenantsOf(metadata);
      const takesTenant = (tenant: string) => tenants === undefined || tenants.has(tenant);
      const takes = (type: string, tenant: string) => takesTenant(tenant) && matchesAny(metadata.types, type);
      return [name, { webhook, handler, metadata, takes, takesTenant }] as const;
    }),
  );
}

/** Returns the key by which a subscription's events are ordered, or undefined if they are not ordered. */
export function orderKeyOf(
  { order_key: by }: SubscriptionMetadata,
  tenant: string,
  attributes: ReadonlyMap<string, EventAttributeValue>,
): string | undefined {
  if (by === undefined) return undefined;
  if (by === 'tenant') return digestOf([tenant]);
  const value = attributes.get(by);
  return value === undefined ? undefined : digestOf([tenant, value]);
}
