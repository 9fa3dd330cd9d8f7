import {
  type Environment,
  type ResilienceMetadata,
  resolveHeaders,
  resolveUrl,
  type ValuePath,
} from '../../metadata/index.ts';
import { openResilientClient, type SourceDependencies } from '../../sources/index.ts';
import type { ResilientClient } from '../../upstream/index.ts';
import { resolveSecrets } from '../calls/index.ts';

/** The dependencies of webhooks that jobs call. */
export type WebhookDependencies = Pick<
  SourceDependencies,
  'environment' | 'http' | 'resilience' | 'webhookSecret' | 'log' | 'handlers'
>;

/** A webhook as the metadata describes it. */
export interface DescribedWebhook {
  readonly name: string;
  /** The kind of caller, a label of the webhook's metrics. */
  readonly kind: 'cron-trigger' | 'scheduled-event' | 'subscription';
  readonly webhook: { readonly url?: string | undefined; readonly url_from_env?: string | undefined };
  readonly headers: Parameters<typeof resolveHeaders>[0];
  readonly resilience?: ResilienceMetadata | undefined;
}

/** The state of the calls to a webhook. */
export type WebhookState = ReturnType<ResilientClient['state']>;

/** A webhook that is ready to be called. */
export interface WebhookTarget {
  readonly url: string;
  /** The configured headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The current secret first. Empty if calls are not signed. */
  readonly secrets: readonly string[];
  readonly http: ResilientClient;
}

/**
 * Opens a webhook. Reports everything that does not fit the environment, with its path.
 *
 * @param variables the environment variables with the webhook's secrets, by the key that names them.
 */
export function openWebhook(
  described: DescribedWebhook,
  variables: Readonly<Record<string, string | null | undefined>>,
  dependencies: WebhookDependencies,
  report: (message: string, path: ValuePath) => void,
): WebhookTarget {
  const environment: Environment = dependencies.environment;
  const url = resolveUrl(described.webhook, environment);
  const headers = resolveHeaders(described.headers, environment);
  if ('problem' in url) report(url.problem, ['webhook']);
  if ('problem' in headers) report(headers.problem, ['headers', ...headers.path]);
  const own = Object.entries(variables).flatMap(([key, variable]) => {
    const resolved = resolveSecrets([variable], environment);
    if ('secrets' in resolved) return resolved.secrets;
    report(resolved.problem, [key]);
    return [];
  });
  const { webhookSecret } = dependencies;
  return {
    url: 'url' in url ? url.url : '',
    headers: 'headers' in headers ? headers.headers : {},
    secrets: own.length > 0 || webhookSecret === undefined ? own : [webhookSecret],
    http: openResilientClient(described.name, described.kind, described.resilience, dependencies),
  };
}
