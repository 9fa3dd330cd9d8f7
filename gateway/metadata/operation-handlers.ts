import { suggestion } from '../../platform/index.ts';
import type { Template } from '../webhooks/kriti/index.ts';
import type {
  ActionHandlerMetadata,
  ActionsMetadata,
  ActionTypes,
  OperationReference,
  OperationStepMetadata,
  WorkHandlerMetadata,
} from './actions/index.ts';
import { handlerCycles } from './handler-cycles.ts';
import {
  type Compensation,
  type FailStep,
  type HandlerLimits,
  type HandlerOperation,
  type OperationHandler,
  type OperationHandlers,
  type OperationStep,
  resultKeyOf,
  variableProblems,
} from './operation-handler.ts';
import type { QueryCollectionMetadata } from './query-collections.ts';
import { findSavedOperation } from './references.ts';
import type { Kind as MetadataKind } from './store.ts';
import type { CronTriggerMetadata, DeliveriesMetadata } from './triggers/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** The parts of the metadata that handlers are checked against. */
export interface HandlerSurroundings {
  readonly actions: ActionsMetadata['actions'];
  readonly actionTypes: ActionTypes;
  readonly cronTriggers: readonly CronTriggerMetadata[];
  readonly subscriptions: DeliveriesMetadata['subscriptions'];
  /** Undefined if they are invalid. References cannot be checked then. */
  readonly collections: readonly QueryCollectionMetadata[] | undefined;
  /** The roles that the metadata names. */
  readonly roles: readonly string[];
  readonly limits: HandlerLimits;
  place(kind: MetadataKind, path: ValuePath): MetadataLocation;
}

type Report = (path: ValuePath, message: string) => void;

/** Finds the operations of all handlers and checks what can be checked without the graph. */
export function resolveOperationHandlers(
  surroundings: HandlerSurroundings,
  problems: MetadataProblem[],
): OperationHandlers {
  const { actions, actionTypes, cronTriggers, subscriptions, place } = surroundings;
  const resolved = (
    owner: Pick<OperationHandler, 'kind' | 'name' | 'path'>,
    handler: ActionHandlerMetadata | WorkHandlerMetadata,
    path: ValuePath,
    isQuery: boolean,
  ): readonly [string, OperationHandler] => {
    const report: Report = (at, message) => problems.push({ ...place(owner.kind, at), message });
    const steps = new HandlerSteps(handler, path, isQuery, surroundings, report).resolve();
    const sessionVariables = 'session_variables' in handler ? (handler.session_variables ?? {}) : {};
    const response = 'response' in handler ? handler.response : undefined;
    return [
      owner.name,
      { ...owner, steps, isChain: 'steps' in handler, response, role: handler.role, sessionVariables },
    ];
  };
  const ofActions = actions.flatMap(({ name, definition: { handler } }, index) => {
    if (typeof handler === 'string') return [];
    const path = ['actions', index];
    const at = [...path, 'definition', 'handler'];
    return [resolved({ kind: 'actions', name, path }, handler, at, actionTypes.queries.has(name))];
  });
  const ofTriggers = cronTriggers.flatMap(({ name, handler }, index) =>
    handler ? [resolved({ kind: 'cronTriggers', name, path: [index] }, handler, [index, 'handler'], false)] : [],
  );
  const ofSubscriptions = subscriptions.flatMap(({ name, handler }, index) => {
    const path = ['subscriptions', index];
    return handler ? [resolved({ kind: 'deliveries', name, path }, handler, [...path, 'handler'], false)] : [];
  });
  const handlers: OperationHandlers = {
    actions: new Map(ofActions),
    cronTriggers: new Map(ofTriggers),
    deliveries: new Map(ofSubscriptions),
  };
  problems.push(...webhookKeyProblems(surroundings), ...handlerCycles(handlers, surroundings));
  return handlers;
}

/** The steps of one handler. */
class HandlerSteps {
  readonly #handler: ActionHandlerMetadata | WorkHandlerMetadata;
  readonly #path: ValuePath;
  readonly #isQuery: boolean;
  readonly #surroundings: HandlerSurroundings;
  readonly #report: Report;

  constructor(
    handler: ActionHandlerMetadata | WorkHandlerMetadata,
    path: ValuePath,
    isQuery: boolean,
    surroundings: HandlerSurroundings,
    report: Report,
  ) {
    this.#handler = handler;
    this.#path = path;
    this.#isQuery = isQuery;
    this.#surroundings = surroundings;
    this.#report = report;
  }

  resolve(): readonly (OperationStep | FailStep)[] {
    const handler = this.#handler;
    if (!('steps' in handler)) {
      this.#checkRole(handler.role, this.#path);
      const only = this.#operation(handler, this.#path);
      return only ? [{ ...only, name: handler.operation, when: undefined, compensation: undefined }] : [];
    }
    const { steps } = handler;
    const { maxSteps } = this.#surroundings.limits;
    if (steps.length > maxSteps)
      this.#report(
        [...this.#path, 'steps'],
        `the chain has ${steps.length} steps: the limit is ${maxSteps} (PORTICO_HANDLER_MAX_STEPS)`,
      );
    this.#checkRole(handler.role, this.#path);
    const earlier: string[] = [];
    const resolved = steps.flatMap((step, index): readonly (OperationStep | FailStep)[] => {
      const path = [...this.#path, 'steps', index];
      if ('fail' in step) {
        this.#checkResults(step.fail.if, earlier, [...path, 'fail', 'if']);
        return [step];
      }
      const made = this.#step(step, path, earlier, index === steps.length - 1);
      if (earlier.includes(step.name)) this.#report([...path, 'name'], `the step "${step.name}" already exists`);
      earlier.push(step.name);
      return made ? [made] : [];
    });
    if ('response' in handler) this.#checkResults(handler.response, earlier, [...this.#path, 'response']);
    return resolved;
  }

  #step(
    step: OperationStepMetadata,
    path: ValuePath,
    earlier: readonly string[],
    isLast: boolean,
  ): OperationStep | undefined {
    this.#checkResults(step.when, earlier, [...path, 'when']);
    this.#checkResults(step.variables, earlier, [...path, 'variables']);
    this.#checkRole(step.role, path);
    const made = this.#operation(step, path);
    const compensation = this.#compensation(step, made, path, [...earlier, step.name], isLast);
    return made && { ...made, name: step.name, when: step.when, compensation };
  }

  #compensation(
    { name, compensate }: OperationStepMetadata,
    step: HandlerOperation | undefined,
    path: ValuePath,
    results: readonly string[],
    isLast: boolean,
  ): Compensation | undefined {
    const type = step?.saved.operation.operation;
    if (type === 'mutation') {
      if (compensate === undefined && !isLast)
        this.#report(
          path,
          `the step "${name}" is a mutation, and a later step may fail: expected compensate, with the operation that undoes it, or "compensate: none"`,
        );
      if (step && step.resultKey === undefined)
        this.#report(
          path,
          `the step "${name}" runs a mutation with several root fields, of which only some may succeed: expected one root field`,
        );
    } else if (type === 'query' && compensate !== undefined)
      this.#report([...path, 'compensate'], `the step "${name}" is a query, which changes nothing: remove compensate`);
    if (typeof compensate !== 'object') return undefined;
    const at = [...path, 'compensate'];
    this.#checkResults(compensate.when, results, [...at, 'when']);
    this.#checkResults(compensate.variables, results, [...at, 'variables']);
    this.#checkRole(compensate.role, at);
    const made = this.#operation(compensate, at);
    if (made && made.saved.operation.operation !== 'mutation')
      this.#report(
        [...at, 'operation'],
        `the operation "${compensate.operation}" is no mutation, so it undoes nothing`,
      );
    return made && { ...made, when: compensate.when };
  }

  #operation(reference: OperationReference, path: ValuePath): HandlerOperation | undefined {
    const { operation: name, collection, variables, role } = reference;
    const { collections } = this.#surroundings;
    if (!collections) return undefined;
    const saved = findSavedOperation(collections, collection, name, 'a handler');
    if ('problem' in saved) {
      this.#report([...path, saved.key], saved.problem);
      return undefined;
    }
    if (this.#isQuery && saved.operation.operation === 'mutation')
      this.#report([...path, 'operation'], `the action is a query, but the operation "${name}" is a mutation`);
    for (const { message, key } of variableProblems(saved, variables)) this.#report([...path, key], message);
    return { saved, variables, role: role ?? this.#handler.role, resultKey: resultKeyOf(saved.operation), path };
  }

  #checkRole(role: string | undefined, path: ValuePath): void {
    const known = ['admin', ...this.#surroundings.roles];
    if (role !== undefined && !known.includes(role))
      this.#report([...path, 'role'], `there is no role "${role}": no permission names it${suggestion(role, known)}`);
  }

  /** Checks that a template only reads results of these steps. */
  #checkResults(template: Template | undefined, results: readonly string[], path: ValuePath): void {
    const read = (template?.paths ?? []).flatMap(({ variable, keys: [step] }) => (variable === '$steps' ? [step] : []));
    for (const step of new Set(read))
      if (step !== undefined && !results.includes(step))
        this.#report(
          path,
          `a template reads $steps.${step}, but no earlier step has this name${suggestion(step, results)}`,
        );
  }
}

/** Reports keys that only a webhook needs, beside handlers that run saved operations. */
function webhookKeyProblems({
  actions,
  cronTriggers,
  subscriptions,
  place,
}: HandlerSurroundings): readonly MetadataProblem[] {
  const problems: MetadataProblem[] = [];
  const check = (
    kind: MetadataKind,
    path: ValuePath,
    value: object,
    keys: readonly string[],
    instead = 'remove it',
  ) => {
    for (const key of keys)
      if (isSet((value as Readonly<Record<string, unknown>>)[key]))
        problems.push({
          ...place(kind, [...path, key]),
          message: `"${key}" is for webhooks, and the handler runs saved operations: ${instead}`,
        });
  };
  actions.forEach(({ definition }, index) => {
    if (typeof definition.handler === 'string') return;
    const path = ['actions', index, 'definition'];
    check('actions', path, definition, ACTION_WEBHOOK_KEYS);
    check('actions', [...path, 'job'], { progress: definition.job?.progress }, ['progress']);
    if (definition.kind === 'subscription')
      problems.push({
        ...place('actions', [...path, 'kind']),
        message: 'the handler of a subscription must be a webhook, and this handler runs saved operations',
      });
    check('actions', path, { ...definition.resilience, concurrency: undefined }, RESILIENCE_WEBHOOK_KEYS);
    if ('steps' in definition.handler)
      check('actions', path, definition, ['response_transform'], 'use "response" of the handler');
  });
  cronTriggers.forEach((trigger, index) => {
    if (trigger.handler) check('cronTriggers', [index], trigger, CRON_WEBHOOK_KEYS);
  });
  subscriptions.forEach((subscription, index) => {
    if (subscription.handler) check('deliveries', ['subscriptions', index], subscription, SUBSCRIPTION_WEBHOOK_KEYS);
  });
  return problems;
}

const COMMON_WEBHOOK_KEYS = ['headers'];
const ACTION_WEBHOOK_KEYS = [
  ...COMMON_WEBHOOK_KEYS,
  'forward_client_headers',
  'ignored_client_headers',
  'request_transform',
  'webhook_signature',
  'service_assertion',
  'field',
  'subscription',
];
const RESILIENCE_WEBHOOK_KEYS = [
  'connect_timeout_seconds',
  'headers_timeout_seconds',
  'retries',
  'circuit_breaker',
  'deduplicate',
];
const CRON_WEBHOOK_KEYS = [...COMMON_WEBHOOK_KEYS, 'request_transform', 'webhook_signature', 'resilience'];
const SUBSCRIPTION_WEBHOOK_KEYS = [...COMMON_WEBHOOK_KEYS, 'secret_from_env', 'previous_secret_from_env', 'resilience'];

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}
