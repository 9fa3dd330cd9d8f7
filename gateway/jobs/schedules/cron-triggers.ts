import {
  type CronTriggerMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  type ValuePath,
} from '../../metadata/index.ts';
import { openWebhook, type WebhookDependencies, type WebhookTarget } from '../../webhooks/jobs/index.ts';

/** A cron trigger, ready to run. */
export interface CronTrigger extends WebhookTarget {
  readonly metadata: CronTriggerMetadata;
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
    return [
      trigger.name,
      { ...openWebhook({ ...trigger, kind: 'cron-trigger' }, secrets, dependencies, report), metadata: trigger },
    ] as const;
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return new Map(triggers);
}
