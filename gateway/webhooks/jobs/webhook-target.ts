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

/** What webhooks are opened with that jobs call. */
export type WebhookDependencies = Pick<
  SourceDependencies,
  'environment' | 'http' | 'resilience' | 'webhookSecret' | 'log'
>;

/** A webhook as metadata describes it. */
export interface DescribedWebhook {
  readonly name: string;
  /** What calls it, a label of its metrics beside the name. */
  readonly kind: 'cron-trigger' | 'scheduled-event' | 'subscription';
  readonly webhook: { readonly url?: string | undefined; readonly url_from_env?: string | undefined };
  readonly headers: Parameters<typeof resolveHeaders>[0];
  readonly resilience?: ResilienceMetadata | undefined;
}

/** How calls of a webhook go. */
export type WebhookState = ReturnType<ResilientClient['state']>;

/** A webhook, ready to be called. */
export interface WebhookTarget {
  readonly url: string;
  /** Configured headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The current one first; none where calls are not signed. */
  readonly secrets: readonly string[];
  readonly http: ResilientClient;
}

/**
 * Opens a webhook. What does not fit the environment is reported with its path.
 *
 * @param variables those that hold its secrets, by the key that names them.
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
