import type { Logger } from '../../../platform/index.ts';
import { DELIVERY_HEADERS, deliverWebhook, leaveToNewerMetadata } from '../../webhooks/jobs/index.ts';
import { STRUCTURED_JSON } from '../cloud-events/index.ts';
import { dead, type Invocations, type JobHandler } from '../engine/index.ts';
import type { EventSubscription } from './subscriptions.ts';

export const DELIVERY_KIND = 'delivery';

export interface DeliveryRunnerOptions {
  readonly subscriptions: () => ReadonlyMap<string, EventSubscription>;
  readonly invocations: Pick<Invocations, 'record'>;
  readonly log: Logger | undefined;
}

/**
 * Delivers events to the webhooks of subscriptions. Once a subscription loses a tenant, it no longer gets the tenant's events.
 */
export function deliveryRunner({ subscriptions, invocations, log }: DeliveryRunnerOptions): JobHandler {
  return {
    run: async (job, signal) => {
      const subscription = subscriptions().get(job.queue);
      if (!subscription?.takesTenant(job.tenant))
        return (
          leaveToNewerMetadata(job.acceptedAt, job, 'subscription-changed', subscription ? 'tenant' : 'queue') ??
          dead(subscription ? 'tenant-removed' : 'subscription-removed')
        );
      const { url, headers, http, secrets, metadata } = subscription;
      const { retry_conf, headers: configured } = metadata;
      const { event } = job.payload as { event: string };
      return deliverWebhook(
        {
          http,
          request: {
            url,
            method: 'POST',
            headers: { ...DELIVERY_HEADERS, ...headers, 'content-type': STRUCTURED_JSON },
            body: event,
          },
          secrets,
          timeoutMs: retry_conf.timeout_seconds * 1000,
          attempts: retry_conf.num_retries + 1,
          retryIntervalMs: retry_conf.retry_interval_seconds * 1000,
          record: async (answer) => {
            const request = { event: attributesOf(event), headers: configured, version: '1' };
            await invocations.record(job, { ...answer, request }).catch((error: unknown) => {
              log?.warn({ event: 'deliveries.log_failed', err: error, job: job.id }, 'could not log a delivery');
            });
          },
        },
        job,
        signal,
      );
    },
  };
}

/** Returns the attributes of an event, without its data. @param text the event in structured mode. */
function attributesOf(text: string): Readonly<Record<string, unknown>> {
  const { id, source, type, tenantid } = JSON.parse(text);
  return { id, source, type, tenantid };
}
