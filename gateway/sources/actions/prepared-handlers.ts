import { resolveAssertion } from '../../access/assertions/index.ts';
import {
  type ActionMetadata,
  type Environment,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  type OperationHandler,
  resolveHeaders,
  resolveUrl,
  resolveVariable,
  type ValuePath,
} from '../../metadata/index.ts';
import type { ResilientClient } from '../../upstream/index.ts';
import { MIN_SECRET_LENGTH, SIGNATURE_HEADER } from '../../webhooks/calls/index.ts';
import { clientHeaderForwarding, foldedName } from '../client-headers.ts';
import { concurrencyOf, openResilientClient } from '../open-client.ts';
import { ownHeaderNames } from '../operation-context.ts';
import type { SourceDependencies } from '../source.ts';
import type { KeptHeaders } from './async-actions.ts';
import { HandlerSlots } from './handler-slots.ts';
import type { OperationAction } from './operation-action.ts';
import { type ActionOutput, type ActionWebhook, LAST_EVENT_ID_HEADER, plainHeaders } from './webhook/index.ts';

/** The part of an action that does not depend on the operation that calls it. */
export type PreparedWebhook = Omit<ActionWebhook, 'operation' | 'http' | keyof ActionOutput> & {
  readonly http: ResilientClient;
};

/** The part of an action with saved operations that does not depend on its type. */
type PreparedOperations = Omit<OperationAction, keyof ActionOutput>;

/** The handlers of all actions by the actions' names. */
interface PreparedHandlers {
  readonly webhooks: ReadonlyMap<string, PreparedWebhook>;
  readonly operations: ReadonlyMap<string, PreparedOperations>;
}

/**
 * Prepares the handlers of actions.
 *
 * @param isWanted selects actions. By default all of them.
 * @throws MetadataError listing everything that does not fit the environment.
 */
export function prepareHandlers(
  metadata: Metadata,
  surroundings: SourceDependencies,
  isWanted: (name: string) => boolean = () => true,
): PreparedHandlers {
  const problems: MetadataProblem[] = [];
  const webhooks = new Map<string, PreparedWebhook>();
  const operations = new Map<string, PreparedOperations>();
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
    if (job?.progress && surroundings.jobProgressUrl === undefined)
      report(
        ['job', 'progress'],
        `action "${action.name}": its webhook has to know where to report its progress: set PORTICO_JOBS_PROGRESS_URL, the URL at which it reaches the gateways`,
      );
    if (job?.keep_credentials && !forwards)
      report(['job', 'keep_credentials'], 'no client headers are stored: requires forward_client_headers');
    const { handler } = action.definition;
    const handled = metadata.operationHandlers.actions.get(action.name);
    if (typeof handler === 'string') webhooks.set(action.name, prepareWebhook(action, handler, surroundings, report));
    else if (handled) operations.set(action.name, prepareOperations(action, handled, surroundings));
  });
  if (problems.length > 0) throw new MetadataError(problems);
  return { webhooks, operations };
}

function prepareOperations(
  { name, definition }: ActionMetadata,
  handler: OperationHandler,
  { handlers, resilience, showInternals = false }: SourceDependencies,
): PreparedOperations {
  return {
    name,
    handler,
    responseTransform: definition.response_transform ?? undefined,
    timeoutMs: definition.timeout * 1000,
    slots: new HandlerSlots(name, concurrencyOf(definition.resilience ?? {}, resilience)),
    dependencies: handlers,
    showInternals,
  };
}

/** Headers with credentials that clients may send to any gateway. The gateway's settings can name more. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

type ReportWebhookProblem = (path: ValuePath, message: string) => void;

function prepareWebhook(
  action: ActionMetadata,
  handler: string,
  surroundings: SourceDependencies,
  report: ReportWebhookProblem,
): PreparedWebhook {
  const { definition } = action;
  const { environment } = surroundings;
  const url = resolveUrl({ url: handler }, environment);
  const headers = resolveHeaders(definition.headers, environment);
  if ('problem' in url) report(['handler'], url.problem);
  if ('problem' in headers) report(['headers', ...headers.path], headers.problem);
  const assertion = resolveAssertion(definition.service_assertion, action.name, surroundings.assertions);
  if ('problem' in assertion) report(['service_assertion'], assertion.problem);
  const configured = 'headers' in headers ? headers.headers : {};
  const ofCalls = {
    headers: configured,
    forwardHeaders: definition.forward_client_headers
      ? clientHeaderForwarding(definition.ignored_client_headers, [
          SIGNATURE_HEADER,
          ...(definition.kind === 'subscription' ? [LAST_EVENT_ID_HEADER] : []),
          ...ownHeaderNames(configured),
        ])
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
