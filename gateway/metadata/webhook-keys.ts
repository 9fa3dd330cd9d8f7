import type { ActionsMetadata } from './actions/index.ts';
import type { Kind as MetadataKind } from './store.ts';
import type { CronTriggerMetadata, DeliveriesMetadata } from './triggers/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Reports keys that only a webhook needs, beside handlers that run saved operations. */
export function webhookKeyProblems({
  actions,
  cronTriggers,
  subscriptions,
  place,
}: {
  readonly actions: ActionsMetadata['actions'];
  readonly cronTriggers: readonly CronTriggerMetadata[];
  readonly subscriptions: DeliveriesMetadata['subscriptions'];
  place(kind: MetadataKind, path: ValuePath): MetadataLocation;
}): readonly MetadataProblem[] {
  const problems: MetadataProblem[] = [];
  const check = (
    kind: MetadataKind,
    path: ValuePath,
    value: object,
    keys: readonly string[],
    instead = 'remove it',
  ) => {
    for (const key of keys)
      if (isSet((value as Readonly<Record<string, unknown>>)[key]))
        problems.push({
          ...place(kind, [...path, key]),
          message: `"${key}" is for webhooks, and the handler runs saved operations: ${instead}`,
        });
  };
  actions.forEach(({ definition }, index) => {
    if (typeof definition.handler === 'string') return;
    const path = ['actions', index, 'definition'];
    check('actions', path, definition, ACTION_WEBHOOK_KEYS);
    check('actions', path, { ...definition.resilience, concurrency: undefined }, RESILIENCE_WEBHOOK_KEYS);
    if ('steps' in definition.handler)
      check('actions', path, definition, ['response_transform'], 'use "response" of the handler');
  });
  cronTriggers.forEach((trigger, index) => {
    if (trigger.handler) check('cronTriggers', [index], trigger, CRON_WEBHOOK_KEYS);
  });
  subscriptions.forEach((subscription, index) => {
    if (subscription.handler) check('deliveries', ['subscriptions', index], subscription, SUBSCRIPTION_WEBHOOK_KEYS);
  });
  return problems;
}

const COMMON_WEBHOOK_KEYS = ['headers'];
const ACTION_WEBHOOK_KEYS = [
  ...COMMON_WEBHOOK_KEYS,
  'forward_client_headers',
  'ignored_client_headers',
  'request_transform',
  'webhook_signature',
  'service_assertion',
];
const RESILIENCE_WEBHOOK_KEYS = [
  'connect_timeout_seconds',
  'headers_timeout_seconds',
  'retries',
  'circuit_breaker',
  'deduplicate',
];
const CRON_WEBHOOK_KEYS = [...COMMON_WEBHOOK_KEYS, 'request_transform', 'webhook_signature', 'resilience'];
const SUBSCRIPTION_WEBHOOK_KEYS = [...COMMON_WEBHOOK_KEYS, 'secret_from_env', 'previous_secret_from_env', 'resilience'];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}
