import type { DeliveriesMetadata, SubscriptionMetadata, ValuePath } from '../../metadata/index.ts';
import { openWebhook, type WebhookDependencies, type WebhookTarget } from '../../webhooks/jobs/index.ts';
import type { EventAttributeValue } from '../cloud-events/index.ts';
import { digestOf } from '../engine/index.ts';
import { matchesAny, tenantsOf } from './match.ts';

/** A webhook that asks for events. */
export interface EventSubscription extends WebhookTarget {
  readonly metadata: SubscriptionMetadata;
  /** Whether it gets events of a type of a tenant. */
  takes(type: string, tenant: string): boolean;
  /** Whether it gets events of a tenant. */
  takesTenant(tenant: string): boolean;
}

/** Opens the subscriptions. What does not fit the environment is reported. */
export function openEventSubscriptions(
  { subscriptions }: DeliveriesMetadata,
  dependencies: WebhookDependencies,
  report: (message: string, path: ValuePath) => void,
): ReadonlyMap<string, EventSubscription> {
  // Each has a secret of its own: one for all would let a receiver pretend to be the gateway at another.
  const ownSecrets = { ...dependencies, webhookSecret: undefined };
  return new Map(
    subscriptions.map((metadata, index) => {
      const { secret_from_env, previous_secret_from_env } = metadata;
      const target = openWebhook(
        { ...metadata, kind: 'subscription' },
        { secret_from_env, previous_secret_from_env },
        ownSecrets,
        (message, path) => report(message, ['subscriptions', index, ...path]),
      );
      const tenants = tenantsOf(metadata);
      const takesTenant = (tenant: string) => tenants === undefined || tenants.has(tenant);
      const takes = (type: string, tenant: string) => takesTenant(tenant) && matchesAny(metadata.types, type);
      return [metadata.name, { ...target, metadata, takes, takesTenant }] as const;
    }),
  );
}

/** The key that events of a subscription are in order by; undefined where there is none. */
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
