import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';
import { fragmentsOf, rootFieldNames } from '../graphql/syntax/index.ts';
import type { ActionTypes } from './actions/index.ts';
import {
  type HandlerLimits,
  type HandlerOperation,
  type OperationHandler,
  type OperationHandlers,
  operationsOf,
} from './operation-handler.ts';
import type { Kind as MetadataKind } from './store.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** A call of an action by an operation of another action's handler. */
interface Call {
  readonly by: HandlerOperation;
  readonly action: OperationHandler;
}

/**
 * Reports handlers that call each other in a circle, and those that are nested too deeply. An action whose handler is a
 * webhook ends the nesting.
 */
export function handlerCycles(
  handlers: OperationHandlers,
  {
    actionTypes,
    limits,
    place,
  }: {
    readonly actionTypes: ActionTypes;
    readonly limits: HandlerLimits;
    place(kind: MetadataKind, path: ValuePath): MetadataLocation;
  },
): readonly MetadataProblem[] {
  const problems: MetadataProblem[] = [];
  const callsOf = (handler: OperationHandler): readonly Call[] =>
    operationsOf(handler).flatMap((by) =>
      actionsCalledBy(by.saved, actionTypes).flatMap((name) => {
        const action = handlers.actions.get(name);
        return action ? [{ by, action }] : [];
      }),
    );
  const depths = new Map<OperationHandler, number>();
  const reported = new Set<OperationHandler>();

  /** Returns how many handlers are nested from this one on. @param calls the calls that lead from each outer one to the next. */
  const follow = (handler: OperationHandler, outer: readonly OperationHandler[], calls: readonly Call[]): number => {
    const known = depths.get(handler);
    if (known !== undefined) return known;
    const within = [...outer, handler];
    let depth = 1;
    for (const call of callsOf(handler)) {
      const from = within.indexOf(call.action);
      if (from < 0) depth = Math.max(depth, 1 + follow(call.action, within, [...calls, call]));
      else reportCircle(call, [...calls.slice(from), call]);
    }
    depths.set(handler, depth);
    return depth;
  };
  const reportCircle = ({ by, action: { name } }: Call, circle: readonly Call[]) => {
    if (circle.some(({ action }) => reported.has(action))) return;
    for (const { action } of circle) reported.add(action);
    const path = circle.map(
      ({ by: { saved }, action }) => ` runs "${saved.collection}/${saved.name}", which calls "${action.name}"`,
    );
    problems.push({
      ...place('actions', by.path),
      message: `handlers call each other in a circle: "${name}"${path.join(', which')}`,
    });
  };

  for (const handler of [handlers.actions, handlers.cronTriggers, handlers.deliveries].flatMap((all) => [
    ...all.values(),
  ])) {
    const depth = follow(handler, [], []);
    if (depth > limits.maxDepth)
      problems.push({
        ...place(handler.kind, handler.path),
        message: `handlers are nested ${depth} deep from "${handler.name}" on: the limit is ${limits.maxDepth} (PORTICO_HANDLER_MAX_DEPTH)`,
      });
  }
  return problems;
}

/** Returns the names of the actions that an operation calls, or queues if they are asynchronous. */
function actionsCalledBy(
  { document, operation }: { document: DocumentNode; operation: OperationDefinitionNode },
  { document: types, asyncOutputs }: ActionTypes,
): readonly string[] {
  const root = operation.operation === 'query' ? 'Query' : 'Mutation';
  const fields = types.definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION && definition.name.value === root ? (definition.fields ?? []) : [],
  );
  const names = new Set(fields.map(({ name }) => name.value));
  // The query of an asynchronous action only reads a result.
  if (root === 'Query') for (const name of asyncOutputs.keys()) names.delete(name);
  return [...rootFieldNames(operation.selectionSet, fragmentsOf(document))].filter((name) => names.has(name));
}
