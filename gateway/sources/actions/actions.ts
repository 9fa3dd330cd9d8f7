import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { FieldConditions, SessionCondition } from '../../access/variables/index.ts';
import type { QueueLimits } from '../../jobs/engine/index.ts';
import { type ActionMetadata, type ActionTypes, DEFAULT_SUBSCRIPTION, type Metadata } from '../../metadata/index.ts';
import type { Source, SourceDependencies, Subschema } from '../source.ts';
import { ACTIONS_SOURCE, type ActionHandlers, actionSubschema } from './action-schema.ts';
import { ACTION_JOBS, acceptAction, actionJobs, answerResult } from './async-actions.ts';
import type { ProgressReporting } from './job-progress.ts';
import { type OperationAction, runOperationAction } from './operation-action.ts';
import { keptHeaders, prepareHandlers } from './prepared-handlers.ts';
import { callsForObjects } from './type-field-calls.ts';
import { type ActionWebhook, callWebhook, type StreamedAction } from './webhook/index.ts';

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
  const streamed = streamSettings(actions, surroundings);
  /** The webhooks that jobs of asynchronous actions call. */
  const asyncWebhooks = new Map<string, ActionWebhook>();
  /** The saved operations that jobs of asynchronous actions run. */
  const asyncOperations = new Map<string, OperationAction>();
  const webhookOf = (name: string) => {
    const webhook = webhooks.get(name);
    if (!webhook) throw new TypeError('an action has no webhook');
    return webhook;
  };
  const handlers: ActionHandlers = {
    answerOf: (name, operation, output) => {
      const asynchronous = asyncActions.get(name);
      const handled = operations.get(name);
      if (handled) {
        const action: OperationAction = { ...handled, ...output };
        if (!asynchronous)
          return (input, context, done, fieldArguments) =>
            runOperationAction(action, { input, fieldArguments }, context, done);
        if (operation !== 'mutation') return answerResult(name, jobs);
        if (!asyncOperations.has(name)) asyncOperations.set(name, action);
        return acceptAction(asynchronous, undefined, jobs);
      }
      const webhook = webhookOf(name);
      if (!asynchronous) {
        const action = { ...webhook, operation: operation === 'query' ? operation : 'mutation', ...output } as const;
        return (input, context, done, fieldArguments) =>
          callWebhook(action, input, context, done, fieldArguments && { fieldArguments });
      }
      if (operation !== 'mutation') return answerResult(name, jobs, asynchronous.definition.job?.progress);
      if (!asyncWebhooks.has(name)) asyncWebhooks.set(name, { ...webhook, operation, ...output });
      return acceptAction(asynchronous, keptHeaders(asynchronous, webhook, surroundings), jobs);
    },
    streamedOf: (name, output) => {
      const settings = streamed.get(name);
      return settings && { ...webhookOf(name), operation: 'query', ...output, ...settings };
    },
    callsOf: (name, output) =>
      callsForObjects(
        { ...webhookOf(name), operation: 'query', ...output },
        metadata.actionTypes.typeFields.get(name)?.batchSize,
      ),
    watch: (id, onChange) => jobs?.watch(id, onChange) ?? (() => {}),
  };
  const subschemaOf = (names: readonly string[]) => actionSubschema(metadata.actionTypes, new Set(names), handlers);

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

/** What the metadata sets for actions of the kind `subscription`, by the actions' names. */
function streamSettings(
  actions: readonly ActionMetadata[],
  { http: { unfinishedEvents } }: SourceDependencies,
): ReadonlyMap<string, Omit<StreamedAction, keyof ActionWebhook>> {
  return new Map(
    actions
      .filter(({ definition }) => definition.kind === 'subscription')
      .map(({ name, definition: { subscription } }) => {
        const limits = { ...DEFAULT_SUBSCRIPTION, ...subscription };
        return [
          name,
          {
            idleMs: limits.idle_timeout_seconds * 1000,
            maxEventBytes: limits.max_event_bytes,
            maxEventsPerSecond: limits.max_events_per_second,
            isState: limits.events === 'state',
            unfinishedEvents,
          },
        ];
      }),
  );
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
