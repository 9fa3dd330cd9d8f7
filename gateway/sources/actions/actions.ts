import { resolveAssertion } from '../../access/assertions/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { QueueLimits } from '../../jobs/engine/index.ts';
import {
  type ActionMetadata,
  type Environment,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  resolveHeaders,
  resolveUrl,
  resolveVariable,
  type ValuePath,
} from '../../metadata/index.ts';
import type { ResilientClient } from '../../upstream/index.ts';
import { MIN_SECRET_LENGTH, SIGNATURE_HEADER } from '../../webhooks/calls/index.ts';
import { clientHeaderForwarding, foldedName } from '../client-headers.ts';
import { openResilientClient } from '../open-client.ts';
import { ownHeaderNames } from '../operation-context.ts';
import type { Source, SourceDependencies, Subschema } from '../source.ts';
import { plainHeaders } from './action-request.ts';
import { ACTIONS_SOURCE, actionSubschema } from './action-schema.ts';
import { type ActionWebhook, callWebhook } from './action-webhook.ts';
import { ACTION_JOBS, acceptAction, actionJobs, answerResult, type KeptHeaders } from './async-actions.ts';

/** The part of an action that does not depend on the operation that calls it. */
export type PreparedWebhook = Omit<ActionWebhook, 'operation' | 'outputType' | 'http'> & {
  readonly http: ResilientClient;
};

/**
 * Opens one source with all actions. Returns undefined if there are no actions.
 *
 * @throws MetadataError listing everything that does not fit the environment.
 */
export function openActions(metadata: Metadata, surroundings: SourceDependencies): Source | undefined {
  const { actions } = metadata.actions;
  if (actions.length === 0) return undefined;
  const webhooks = prepareWebhooks(metadata, surroundings);
  const { jobs, log, headerSealer: sealer } = surroundings;
  const { asyncOutputs } = metadata.actionTypes;
  const asyncActions = new Map(actions.filter(({ name }) => asyncOutputs.has(name)).map((one) => [one.name, one]));
  /** The webhooks that jobs of asynchronous actions call. */
  const asyncWebhooks = new Map<string, ActionWebhook>();
  const subschemaOf = (names: readonly string[]) =>
    actionSubschema(
      metadata.actionTypes,
      new Set(names),
      (name, operation, outputType) => {
        const webhook = webhooks.get(name);
        if (!webhook) throw new TypeError('an action has no webhook');
        const asynchronous = asyncActions.get(name);
        if (!asynchronous) {
          const action = { ...webhook, operation: operation === 'query' ? operation : 'mutation', outputType } as const;
          return (input, context, done) => callWebhook(action, input, context, done);
        }
        if (operation !== 'mutation') return answerResult(name, jobs);
        if (!asyncWebhooks.has(name)) asyncWebhooks.set(name, { ...webhook, operation, outputType });
        return acceptAction(asynchronous, keptHeaders(asynchronous, webhook, surroundings), jobs);
      },
      (id, onChange) => jobs?.watch(id, onChange) ?? (() => {}),
    );

  const subschemas = new Map<string, Subschema>();
  const whole = subschemaOf(actions.map((action) => action.name));
  const runsJobs = jobs && log && asyncActions.size > 0;
  let stopJobs: (() => void) | undefined;
  return {
    ...(runsJobs && {
      setActive: (isActive: boolean) => {
        stopJobs?.();
        stopJobs = isActive
          ? jobs.handle(ACTION_JOBS, actionJobs(asyncWebhooks, queueLimits(asyncActions.values()), sealer, log))
          : undefined;
      },
    }),
    name: ACTIONS_SOURCE,
    kind: 'actions',
    schema: whole.schema,
    upstream: whole.schema,
    clients: [...webhooks.values()].map(({ http }) => http),
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      const permitted = actions.filter((action) => action.permissions.some((permission) => permission.role === role));
      if (permitted.length === 0) return undefined;
      if (permitted.length === actions.length) return whole;
      const names = permitted.map((action) => action.name);
      const key = names.join(' ');
      const subschema = subschemas.get(key) ?? subschemaOf(names);
      subschemas.set(key, subschema);
      return subschema;
    },
  };
}

/** The client headers that an action's jobs store. Undefined if no client headers are forwarded to the webhook. */
export function keptHeaders(
  { definition }: ActionMetadata,
  { target: { forwardHeaders: forward } }: PreparedWebhook,
  { headerSealer: sealer, credentialHeaders = [] }: SourceDependencies,
): KeptHeaders | undefined {
  if (!forward || !sealer) return undefined;
  const named = new Set(definition.job?.keep_credentials?.map(foldedName));
  const credentials = [...CREDENTIAL_HEADERS, ...credentialHeaders].map((name) => foldedName(name.toLowerCase()));
  return { forward, credentials: new Set(credentials.filter((name) => !named.has(name))), sealer };
}

function queueLimits(actions: Iterable<ActionMetadata>): ReadonlyMap<string, QueueLimits> {
  const limits = new Map<string, QueueLimits>();
  for (const { name, definition } of actions) {
    const { concurrency, tenant_concurrency: tenantConcurrency } = definition.job ?? {};
    if (concurrency !== undefined || tenantConcurrency !== undefined)
      limits.set(name, { concurrency, tenantConcurrency });
  }
  return limits;
}

/**
 * Prepares the webhooks of actions.
 *
 * @param isWanted selects actions. By default all of them.
 * @throws MetadataError listing everything that does not fit the environment.
 */
export function prepareWebhooks(
  metadata: Metadata,
  surroundings: SourceDependencies,
  isWanted: (name: string) => boolean = () => true,
): ReadonlyMap<string, PreparedWebhook> {
  const problems: MetadataProblem[] = [];
  const webhooks = new Map<string, PreparedWebhook>();
  metadata.actions.actions.forEach((action, index) => {
    if (!isWanted(action.name)) return;
    const report = (path: ValuePath, message: string) =>
      problems.push({ ...metadata.place('actions', ['actions', index, 'definition', ...path]), message });
    if (metadata.actionTypes.asyncOutputs.has(action.name) && surroundings.hasJobsDatabase !== true)
      report(
        ['kind'],
        `action "${action.name}": asynchronous actions need a database for their jobs: set HASURA_GRAPHQL_METADATA_DATABASE_URL`,
      );
    const { kind, forward_client_headers: forwards, job } = action.definition;
    if (kind === 'asynchronous' && forwards && !surroundings.headerSealer)
      report(
        ['forward_client_headers'],
        `action "${action.name}": its jobs store encrypted client headers: set PORTICO_ASSERTION_KEY, from which the encryption key is derived`,
      );
    if (job?.keep_credentials && !forwards)
      report(['job', 'keep_credentials'], 'no client headers are stored: requires forward_client_headers');
    webhooks.set(action.name, prepareWebhook(action, surroundings, report));
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return webhooks;
}

/** Headers with credentials that clients may send to any gateway. The gateway's settings can name more. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

type ReportWebhookProblem = (path: ValuePath, message: string) => void;

function prepareWebhook(
  action: ActionMetadata,
  surroundings: SourceDependencies,
  report: ReportWebhookProblem,
): PreparedWebhook {
  const { definition } = action;
  const { environment } = surroundings;
  const url = resolveUrl({ url: definition.handler }, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) report(['handler'], url.problem);
  if ('problem' in headers) report(['headers', ...headers.path], headers.problem);
  const assertion = resolveAssertion(definition.service_assertion, action.name, surroundings.assertions);
  if ('problem' in assertion) report(['service_assertion'], assertion.problem);
  const configured = 'headers' in headers ? headers.headers : {};
  const ofCalls = {
    headers: configured,
    forwardHeaders: definition.forward_client_headers
      ? clientHeaderForwarding(definition.ignored_client_headers, [SIGNATURE_HEADER, ...ownHeaderNames(configured)])
      : undefined,
  };
  return {
    name: action.name,
    target: {
      url: 'url' in url ? url.url : '',
      ...ofCalls,
      plainHeaders: plainHeaders(ofCalls),
      transform: definition.request_transform ?? undefined,
      assertion: 'assertion' in assertion ? assertion.assertion : undefined,
      signingSecret: signingSecret(action, environment, report) ?? surroundings.webhookSecret,
    },
    responseTransform: definition.response_transform ?? undefined,
    timeoutMs: definition.timeout * 1000,
    http: openResilientClient(action.name, 'action', definition.resilience, surroundings),
    showInternals: surroundings.showInternals ?? false,
  };
}

function signingSecret(
  { definition }: ActionMetadata,
  environment: Environment,
  report: ReportWebhookProblem,
): string | undefined {
  const variable = definition.webhook_signature?.secret_from_env;
  if (variable === undefined) return undefined;
  const resolved = resolveVariable(variable, environment);
  const path = ['webhook_signature', 'secret_from_env'];
  if ('problem' in resolved) {
    report(path, resolved.problem);
    return undefined;
  }
  if (resolved.text.length < MIN_SECRET_LENGTH)
    report(path, `the secret in ${variable} must have at least ${MIN_SECRET_LENGTH} characters`);
  return resolved.text;
}
