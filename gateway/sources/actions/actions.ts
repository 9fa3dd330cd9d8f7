import type { GraphQLOutputType } from 'graphql';
import { resolveAssertion } from '../../access/assertions/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { FieldConditions, SessionCondition } from '../../access/variables/index.ts';
import type { QueueLimits } from '../../jobs/engine/index.ts';
import {
  type ActionMetadata,
  type ActionTypes,
  DEFAULT_SUBSCRIPTION,
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
import type { Source, SourceDependencies, Subschema } from '../source.ts';
import { ACTIONS_SOURCE, actionSubschema, type TypeFieldActions } from './action-schema.ts';
import { ACTION_JOBS, acceptAction, actionJobs, answerResult, type KeptHeaders } from './async-actions.ts';
import { HandlerSlots } from './handler-slots.ts';
import type { ProgressReporting } from './job-progress.ts';
import { type OperationAction, runOperationAction } from './operation-action.ts';
import { callsForObjects } from './type-field-calls.ts';
import {
  type ActionWebhook,
  callWebhook,
  excessProblem,
  LAST_EVENT_ID_HEADER,
  plainHeaders,
  type StreamedAction,
} from './webhook/index.ts';

/** The part of an action that does not depend on the operation that calls it. */
export type PreparedWebhook = Omit<ActionWebhook, 'operation' | 'outputType' | 'excessProblem' | 'http'> & {
  readonly http: ResilientClient;
};

/** The handlers of all actions by the actions' names. */
interface PreparedHandlers {
  readonly webhooks: ReadonlyMap<string, PreparedWebhook>;
  readonly operations: ReadonlyMap<string, Omit<OperationAction, 'outputType' | 'excessProblem'>>;
}

/**
 * Opens one source with all actions. Returns undefined if there are no actions.
 *
 * @throws MetadataError listing everything that does not fit the environment.
 */
export function openActions(metadata: Metadata, surroundings: SourceDependencies): Source | undefined {
  const { actions } = metadata.actions;
  if (actions.length === 0) return undefined;
  const { webhooks, operations } = prepareHandlers(metadata, surroundings);
  const { jobs, log, headerSealer: sealer } = surroundings;
  const { asyncOutputs } = metadata.actionTypes;
  const asyncActions = new Map(actions.filter(({ name }) => asyncOutputs.has(name)).map((one) => [one.name, one]));
  const streamed = streamedActions(actions, webhooks, surroundings);
  /** The webhooks that jobs of asynchronous actions call. */
  const asyncWebhooks = new Map<string, ActionWebhook>();
  const { typeFields: described } = metadata.actionTypes;
  const typeFields: TypeFieldActions = {
    described,
    callsOf: (name, outputType, checked) => {
      const webhook = webhooks.get(name);
      if (!webhook) throw new TypeError('an action has no webhook');
      const ofType = { outputType, excessProblem: excessProblem(outputType, checked) };
      return callsForObjects({ ...webhook, operation: 'query', ...ofType }, described.get(name)?.batchSize);
    },
  };
  /** The saved operations that jobs of asynchronous actions run. */
  const asyncOperations = new Map<string, OperationAction>();
  const subschemaOf = (names: readonly string[]) =>
    actionSubschema(
      metadata.actionTypes,
      new Set(names),
      (name, operation, outputType, checked) => {
        const ofType = { outputType, excessProblem: excessProblem(outputType, checked) };
        const asynchronous = asyncActions.get(name);
        const handled = operations.get(name);
        if (handled) {
          const action: OperationAction = { ...handled, ...ofType };
          if (!asynchronous)
            return (input, context, done, fieldArguments) =>
              runOperationAction(action, { input, fieldArguments }, context, done);
          if (operation !== 'mutation') return answerResult(name, jobs);
          if (!asyncOperations.has(name)) asyncOperations.set(name, action);
          return acceptAction(asynchronous, undefined, jobs);
        }
        const webhook = webhooks.get(name);
        if (!webhook) throw new TypeError('an action has no webhook');
        if (!asynchronous) {
          const action = { ...webhook, operation: operation === 'query' ? operation : 'mutation', ...ofType } as const;
          return (input, context, done, fieldArguments) =>
            callWebhook(action, input, context, done, fieldArguments && { fieldArguments });
        }
        if (operation !== 'mutation') return answerResult(name, jobs, asynchronous.definition.job?.progress);
        if (!asyncWebhooks.has(name)) asyncWebhooks.set(name, { ...webhook, operation, ...ofType });
        return acceptAction(asynchronous, keptHeaders(asynchronous, webhook, surroundings), jobs);
      },
      (id, onChange) => jobs?.watch(id, onChange) ?? (() => {}),
      (name, outputType, checked) => streamed.get(name)?.(outputType, checked),
      typeFields,
    );

  const subschemas = new Map<string, Subschema>();
  const whole = subschemaOf(actions.map((action) => action.name));
  const progress = progressReporting(asyncActions.values(), surroundings);
  const runsJobs = jobs && log && asyncActions.size > 0;
  let stopJobs: (() => void) | undefined;
  return {
    ...(runsJobs && {
      setActive: (isActive: boolean) => {
        stopJobs?.();
        stopJobs = isActive
          ? jobs.handle(
              ACTION_JOBS,
              actionJobs(asyncWebhooks, asyncOperations, queueLimits(asyncActions.values()), sealer, progress, log),
            )
          : undefined;
      },
    }),
    name: ACTIONS_SOURCE,
    kind: 'actions',
    schema: whole.schema,
    upstream: whole.schema,
    clients: [...[...webhooks.values()].map(({ http }) => http), ...[...operations.values()].map(({ slots }) => slots)],
    subschemaFor: (role) => {
      if (role === ADMIN_ROLE) return whole;
      const permitted = actions.filter((action) => action.permissions.some((permission) => permission.role === role));
      if (permitted.length === 0) return undefined;
      const sessionConditions = actionConditions(permitted, role, metadata.actionTypes);
      if (permitted.length === actions.length && !sessionConditions) return whole;
      const names = permitted.map((action) => action.name);
      const key = JSON.stringify([names, [...(sessionConditions ?? [])]]);
      const subschema = subschemas.get(key) ?? { ...subschemaOf(names), sessionConditions };
      subschemas.set(key, subschema);
      return subschema;
    },
  };
}

/**
 * The session conditions of a role's actions. They apply to the fields that an action has, and not to fields of other
 * services with the same name: an asynchronous action also has fields that return its result.
 */
function actionConditions(
  permitted: readonly ActionMetadata[],
  role: string,
  { typeFields, queries, asyncOutputs }: ActionTypes,
): FieldConditions | undefined {
  const conditions = new Map<string, readonly SessionCondition[]>();
  for (const { name, permissions, definition } of permitted) {
    const own = permissions.flatMap((one) => (one.role === role ? (one.session_condition ?? []) : []));
    if (own.length === 0) continue;
    const ofType = typeFields.get(name);
    if (ofType) {
      const coordinate = `${ofType.type}.${ofType.name}`;
      conditions.set(coordinate, [...(conditions.get(coordinate) ?? []), ...own]);
    } else
      for (const root of rootsOf(definition.kind, queries.has(name), asyncOutputs.has(name)))
        conditions.set(`${root}.${name}`, own);
  }
  return conditions.size > 0 ? conditions : undefined;
}

function rootsOf(
  kind: ActionMetadata['definition']['kind'],
  isQuery: boolean,
  isAsynchronous: boolean,
): readonly string[] {
  if (isAsynchronous) return ['Query', 'Mutation', 'Subscription'];
  if (kind === 'subscription') return ['Subscription'];
  return isQuery ? ['Query'] : ['Mutation'];
}

/** The actions of the kind `subscription`, as functions of their output type. */
function streamedActions(
  actions: readonly ActionMetadata[],
  webhooks: ReadonlyMap<string, PreparedWebhook>,
  { http: { unfinishedEvents } }: SourceDependencies,
): ReadonlyMap<string, (outputType: GraphQLOutputType, checked: ReadonlySet<string>) => StreamedAction> {
  return new Map(
    actions
      .filter(({ definition }) => definition.kind === 'subscription')
      .map(({ name, definition: { subscription } }) => {
        const webhook = webhooks.get(name);
        if (!webhook) throw new TypeError('an action has no webhook');
        const limits = { ...DEFAULT_SUBSCRIPTION, ...subscription };
        return [
          name,
          (outputType, checked) => ({
            ...webhook,
            operation: 'query',
            outputType,
            excessProblem: excessProblem(outputType, checked),
            idleMs: limits.idle_timeout_seconds * 1000,
            maxEventBytes: limits.max_event_bytes,
            maxEventsPerSecond: limits.max_events_per_second,
            isState: limits.events === 'state',
            unfinishedEvents,
          }),
        ];
      }),
  );
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

/** @returns undefined if no webhook reports its progress. */
function progressReporting(
  actions: Iterable<ActionMetadata>,
  { jobs, jobProgressUrl: url }: SourceDependencies,
): ProgressReporting | undefined {
  const reporting = [...actions].filter(({ definition }) => definition.job?.progress);
  if (reporting.length === 0 || !jobs || url === undefined) return undefined;
  return { names: new Set(reporting.map(({ name }) => name)), url, store: jobs.progress };
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
  const operations = new Map<string, Omit<OperationAction, 'outputType' | 'excessProblem'>>();
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
): Omit<OperationAction, 'outputType' | 'excessProblem'> {
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
