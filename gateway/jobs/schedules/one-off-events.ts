import { z } from 'zod';
import { hasRealDate, type Logger } from '../../../platform/index.ts';
import {
  configuredHeaders,
  mapping,
  resolveHeaders,
  resolveUrl,
  retryConf,
  SCHEDULE_RETRIES,
  webhookUrl,
} from '../../metadata/index.ts';
import {
  openWebhook,
  type WebhookDependencies,
  type WebhookState,
  type WebhookTarget,
} from '../../webhooks/jobs/index.ts';
import {
  dead,
  type Invocations,
  type JobHandler,
  type Jobs,
  type Json,
  postponed,
  SPARE_ATTEMPTS,
} from '../engine/index.ts';
import { environmentOf } from './called-origins.ts';
import { scheduledTime } from './cron-runner.ts';
import { unusableWebhook, webhookNotAllowed } from './errors.ts';
import { callScheduled } from './scheduled-call.ts';

export const ONE_OFF_KIND = 'scheduled-event' as const;

/** The most characters of an origin, which is part of an index. Host names are shorter. */
const MAX_ORIGIN = 300;

/** RFC 3339 section 5.6. The time zone is optional and defaults to UTC, as in Hasura. */
const EVENT_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/i;

const time = z.string().transform((text, context) => {
  const isTime = EVENT_TIME.test(text) && hasRealDate(text);
  const date = isTime ? new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`) : undefined;
  if (date && !Number.isNaN(date.getTime())) return date;
  context.addIssue({ code: 'custom', message: 'expected a time in ISO 8601, such as 2026-12-24T18:00:00Z' });
  return z.NEVER;
});

/** Arguments of `create_scheduled_event`. */
export const newEventShape = mapping({
  webhook: webhookUrl,
  schedule_at: time,
  payload: z.unknown().optional(),
  headers: configuredHeaders,
  retry_conf: retryConf(SCHEDULE_RETRIES),
  comment: z.string().nullish(),
});

export type NewEvent = z.output<typeof newEventShape>;

/** The part of an event that its job stores. It contains no values of the environment. */
const storedEvent = z.object({
  webhook: z.object({ url: z.string().optional(), url_from_env: z.string().optional() }),
  scheduled_time: z.string(),
  payload: z.unknown().optional(),
  headers: z.array(z.unknown()),
  retry_conf: z.unknown(),
  comment: z.string().optional(),
});

export interface OneOffOptions {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly invocations: Invocations;
  /** The origins that the metadata has the gateway call, with the environment variables that each is sent. */
  readonly origins: () => ReadonlyMap<string, ReadonlySet<string>>;
  /** Further origins that events may call. `*` stands for all. */
  readonly moreOrigins: readonly string[];
  /** Further variables that may be sent to every origin. */
  readonly moreVariables: readonly string[];
  readonly dependencies: WebhookDependencies;
  readonly log: Logger;
}

/** The webhook of an event, with values of the environment filled in. */
interface Target {
  readonly url: string;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isAllowed: boolean;
}

interface Unusable {
  readonly problem: string;
  readonly of: 'webhook' | 'headers';
}

/** The most origins with their own client. Further origins share one. */
const MAX_CLIENTS = 100;

/** Webhooks that are called once, at a time that an administrator chooses. */
export class OneOffEvents implements JobHandler {
  readonly #options: OneOffOptions;
  readonly #clients = new Map<string, WebhookTarget['http']>();

  constructor(options: OneOffOptions) {
    this.#options = options;
  }

  /**
   * Accepts an event. Resolves after the commit.
   *
   * @returns the id of the event.
   * @throws GatewayError if the webhook cannot be called or the event was not committed.
   */
  async create(event: NewEvent): Promise<string> {
    const target = this.#resolve(event.webhook, event.headers);
    if ('problem' in target) throw unusableWebhook(target.problem, target.of);
    if (!target.isAllowed) throw webhookNotAllowed();
    const { origin } = target;
    if (origin.length > MAX_ORIGIN) throw unusableWebhook('the name of the host is too long', 'webhook');
    const stored: z.output<typeof storedEvent> = {
      webhook: event.webhook,
      scheduled_time: scheduledTime(event.schedule_at),
      payload: event.payload ?? null,
      headers: [...event.headers],
      retry_conf: event.retry_conf,
      ...(event.comment != null && { comment: event.comment }),
    };
    // The event is stored as text, since jsonb rejects U+0000, which a payload may contain.
    const text = JSON.stringify(stored);
    const { id } = await this.#options.jobs.enqueue({
      kind: ONE_OFF_KIND,
      queue: origin,
      runAt: event.schedule_at.getTime(),
      validForMs: Math.max(1, event.retry_conf.tolerance_seconds) * 1000,
      maxAttempts: event.retry_conf.num_retries + 1 + SPARE_ATTEMPTS,
      payload: { event: text },
      // `get_scheduled_events` reads it. It is kept with the result.
      owner: { event: text },
    });
    return id;
  }

  run: JobHandler['run'] = async (job, signal) => {
    const { invocations, dependencies, log } = this.#options;
    const stored = storedEvent.parse(JSON.parse((job.payload as { event: string }).event));
    const headers = configuredHeaders.parse(stored.headers);
    const target = this.#resolve(stored.webhook, headers);
    // The variable may be set again in the next version of the environment.
    if ('problem' in target) return postponed('environment', 10_000);
    if (!target.isAllowed) return dead('webhook-not-allowed');
    return callScheduled(
      {
        http: this.#clientOf(target.origin),
        url: target.url,
        headers: target.headers,
        configuredHeaders: headers,
        transform: undefined,
        payload: {
          scheduled_time: stored.scheduled_time,
          payload: stored.payload ?? null,
          created_at: scheduledTime(job.acceptedAt),
          id: job.id,
          ...(stored.comment !== undefined && { comment: stored.comment }),
        },
        retryConf: retryConf(SCHEDULE_RETRIES).parse(stored.retry_conf),
        secrets: dependencies.webhookSecret === undefined ? [] : [dependencies.webhookSecret],
      },
      job,
      signal,
      { invocations, log },
    );
  };

  /** Returns the target of the event, or the problem with it. Variables that may not be sent to the target count as unset. */
  #resolve(webhook: Parameters<typeof resolveUrl>[0], headers: NewEvent['headers']): Target | Unusable {
    const { dependencies, origins, moreOrigins, moreVariables } = this.#options;
    const { environment } = dependencies;
    const ofAll = new Set([...moreVariables, ...[...origins().values()].flatMap((names) => [...names])]);
    const somewhere = resolveUrl(webhook, environmentOf(ofAll, environment));
    if ('problem' in somewhere) return { problem: somewhere.problem, of: 'webhook' };
    const { origin } = new URL(somewhere.url);
    const variables = origins().get(origin);
    const sent = environmentOf([...moreVariables, ...(variables ?? [])], environment);
    const url = resolveUrl(webhook, sent);
    if ('problem' in url) return { problem: url.problem, of: 'webhook' };
    const values = resolveHeaders(headers, sent);
    if ('problem' in values) return { problem: values.problem, of: 'headers' };
    const isAllowed = variables !== undefined || moreOrigins.includes('*') || moreOrigins.includes(origin);
    return { url: url.url, origin, headers: values.headers, isAllowed };
  }

  /**
   * Returns the state of the calls by origin. Origins are labels of metrics, so only those that the metadata or a setting names
   * are included.
   */
  states(): readonly WebhookState[] {
    return [...this.#clients].filter(([origin]) => this.isLabel(origin)).map(([, client]) => client.state());
  }

  isLabel(origin: string): boolean {
    const { origins, moreOrigins } = this.#options;
    return origins().has(origin) || moreOrigins.includes(origin);
  }

  #clientOf(origin: string): WebhookTarget['http'] {
    const key = this.#clients.has(origin) || this.#clients.size < MAX_CLIENTS ? origin : '';
    const { dependencies } = this.#options;
    const client =
      this.#clients.get(key) ??
      openWebhook(
        { name: key, kind: 'scheduled-event', webhook: { url: origin }, headers: [] },
        {},
        dependencies,
        () => {},
      ).http;
    this.#clients.set(key, client);
    return client;
  }
}

/** Returns an event as it was stored, for lists. */
export function describedEvent(text: string | undefined): Readonly<Record<string, Json>> {
  return text === undefined ? {} : JSON.parse(text);
}
