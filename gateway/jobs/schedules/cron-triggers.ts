import {
  type CronTriggerMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  type OperationHandler,
  type ValuePath,
} from '../../metadata/index.ts';
import { openWebhook, type WebhookDependencies, type WebhookTarget } from '../../webhooks/jobs/index.ts';

/** A cron trigger, ready to run. It has either a webhook or a handler. */
export interface CronTrigger {
  readonly metadata: CronTriggerMetadata;
  readonly webhook: WebhookTarget | undefined;
  /** The saved operations that run in place of a webhook. */
  readonly handler: OperationHandler | undefined;
}

/**
 * Opens the cron triggers of the metadata.
 *
 * @throws MetadataError with every problem that the environment causes.
 */
export function openCronTriggers(
  metadata: Metadata,
  dependencies: WebhookDependencies,
): ReadonlyMap<string, CronTrigger> {
  const problems: MetadataProblem[] = [];
  const triggers = metadata.cronTriggers.map((trigger, index) => {
    const report = (message: string, path: ValuePath) =>
      problems.push({ ...metadata.place('cronTriggers', [index, ...path]), message });
    const secrets = { webhook_signature: trigger.webhook_signature?.secret_from_env };
    const { name, webhook: url } = trigger;
    const webhook =
      url && openWebhook({ ...trigger, webhook: url, kind: 'cron-trigger' }, secrets, dependencies, report);
    return [name, { metadata: trigger, webhook, handler: metadata.operationHandlers.cronTriggers.get(name) }] as const;
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return new Map(triggers);
}
