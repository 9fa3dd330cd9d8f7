import type { Logger } from '../../../platform/index.ts';
import { TENANT_VARIABLE } from '../../access/session/index.ts';
import {
  DELIVERY_HEADERS,
  deliverWebhook,
  type HandlerRunOfJob,
  leaveToNewerMetadata,
  runHandlerOfJob,
} from '../../webhooks/jobs/index.ts';
import { STRUCTURED_JSON } from '../cloud-events/index.ts';
import { dead, type Invocations, type JobHandler, type NewInvocation } from '../engine/index.ts';
import type { EventSubscription } from './subscriptions.ts';

export const DELIVERY_KIND = 'delivery';

export interface DeliveryRunnerOptions {
  readonly subscriptions: () => ReadonlyMap<string, EventSubscription>;
  readonly invocations: Pick<Invocations, 'record'>;
  /** Undefined if the gateway cannot run saved operations. */
  readonly handlers: HandlerRunOfJob['dependencies'];
  readonly log: Logger;
}

/**
 * Delivers events to the webhooks and handlers of subscriptions. Once a subscription loses a tenant, it no longer gets the tenant's events.
 */
export function deliveryRunner({ subscriptions, handlers, invocations, log }: DeliveryRunnerOptions): JobHandler {
  return {
    run: async (job, signal) => {
      const subscription = subscriptions().get(job.queue);
      if (!subscription?.takesTenant(job.tenant))
        return (
          leaveToNewerMetadata(job.acceptedAt, job, 'subscription-changed', subscription ? 'tenant' : 'queue') ??
          dead(subscription ? 'tenant-removed' : 'subscription-removed')
        );
      const { webhook, handler, metadata } = subscription;
      const { retry_conf: retryConf, headers: configured } = metadata;
      const { event } = job.payload as { event: string };
      const record = async (attempt: Pick<NewInvocation, 'status' | 'response'>) => {
        const request = { event: attributesOf(event), headers: configured, version: '1' };
        await invocations.record(job, { ...attempt, request }).catch((error: unknown) => {
          log.warn({ event: 'deliveries.log_failed', err: error, job: job.id }, 'could not log a delivery');
        });
      };
      if (handler) {
        // The event was accepted for this tenant, so the metadata cannot name another one.
        const sessionVariables = { [TENANT_VARIABLE]: job.tenant };
        const run = {
          handler,
          dependencies: handlers,
          body: JSON.parse(event),
          sessionVariables,
          retryConf,
          log,
          record,
        };
        return runHandlerOfJob(run, job, signal);
      }
      // The metadata requires one of both.
      if (!webhook) throw new TypeError('a subscription has neither a webhook nor a handler');
      const { url, headers, http, secrets } = webhook;
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
          timeoutMs: retryConf.timeout_seconds * 1000,
          attempts: retryConf.num_retries + 1,
          retryIntervalMs: retryConf.retry_interval_seconds * 1000,
          record,
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
