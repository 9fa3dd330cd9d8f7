import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import type { Done } from '../../platform/index.ts';
import type { Variables } from '../graphql/syntax/index.ts';
import {
  type FederatedGraph,
  type JoinResult,
  type PlannedJoin,
  type PlannedSubscription,
  type PreparedJoin,
  type Refusal,
  responseObject,
  UnplannableOperation,
} from '../planning/joins/index.ts';
import { PassthroughBody } from '../upstream/index.ts';
import type {
  CompiledOperation,
  CompiledSubscription,
  OperationAnswer,
  OperationDocument,
} from './compiled-operation.ts';
import { noSourceOfSubscription, unplannableOperation } from './errors.ts';
import { contextOfOneEvent, type OperationContext } from './operation-context.ts';
import { takeHttpHints, withoutTraces } from './remote-schema/index.ts';
import { resultOfAnswer } from './result-of-answer.ts';
import { failedEvents, laterEvents, mapEvents } from './source-events.ts';

type Graph = FederatedGraph<OperationContext>;

/** Runs a planned join in another way. Returns false if that is not possible with these variables. */
export type RunOtherwise = (
  join: PlannedJoin<OperationContext>,
  variables: Variables,
  context: OperationContext,
  done: Done<OperationAnswer>,
) => boolean;

export interface JoinOptions {
  readonly runOtherwise?: RunOtherwise;
  readonly refusal?: Refusal | undefined;
}

/**
 * Compiles an operation over several services. If the operation cannot be planned, the compiled operation rejects every
 * request.
 *
 * @param introspect compiles a document that contains only introspection fields
 * @returns undefined if the operation has introspection fields and `introspect` is undefined
 */
export function compileJoin(
  graph: Graph,
  { document, operation }: OperationDocument,
  introspect: ((text: string) => CompiledOperation) | undefined,
  { runOtherwise = () => false, refusal }: JoinOptions = {},
): CompiledOperation | undefined {
  let join: PreparedJoin<OperationContext>;
  try {
    join = graph.prepare(document, operation.name?.value, refusal);
  } catch (error) {
    return { kind: 'join', run: (_variables, context, done) => done(rejectedResult(error, context)) };
  }
  if (join.introspection !== undefined && !introspect) return undefined;
  const introspection = join.introspection === undefined ? undefined : introspect?.(join.introspection);
  const runPlanned = (
    planned: PlannedJoin<OperationContext>,
    variables: Variables,
    context: OperationContext,
    done: Done<OperationAnswer>,
  ) => {
    const run = (introspected?: Readonly<Record<string, unknown>>) =>
      planned.run(variables, context, introspected, (result) =>
        done(result instanceof Error ? rejectedResult(result, context) : toOperationAnswer(result, context)),
      );
    try {
      if (runOtherwise(planned, variables, context, done)) return;
      if (!introspection) run();
      else
        introspection.run(variables, context, (answer) => {
          const { data, errors } = resultOfAnswer(answer, '');
          if (data) run(data);
          else done({ data: null, ...(errors && { errors }) });
        });
    } catch (error) {
      done(rejectedResult(error, context));
    }
  };
  return {
    kind: 'join',
    describe: (variables) => {
      const planned = undefinedIfUnplannable(() => join.plan(variables));
      // `describe` is called after a run, so the plan exists unless the run was cancelled before planning ended.
      return planned instanceof Promise ? undefined : planned?.fetches;
    },
    run: (variables, context, done) => {
      const fail = (error: unknown) => done(rejectedResult(error, context));
      let planned: ReturnType<typeof join.plan>;
      try {
        planned = join.plan(variables);
      } catch (error) {
        fail(error);
        return;
      }
      if (!(planned instanceof Promise)) {
        runPlanned(planned, variables, context, done);
        return;
      }
      planned.then((one) => {
        // The plan is kept for other requests, but no service is called for a client that has disconnected.
        if (context.cancellation.isCancelled) done({ data: null });
        else runPlanned(one, variables, context, done);
      }, fail);
    },
  };
}

/**
 * Compiles a subscription whose events several services complete.
 *
 * @param openSource compiles the source stream. Returns undefined if the service cannot provide it
 * @throws UnplannableOperation
 */
export function compileJoinedEvents(
  graph: Graph,
  { document, operation }: OperationDocument,
  openSource: (service: string, operation: OperationDocument) => CompiledSubscription | undefined,
  refusal?: Refusal,
): CompiledSubscription {
  const join = graph.prepareSubscription(document, operation.name?.value, refusal);
  const opened = new WeakMap<OperationDefinitionNode, CompiledSubscription | undefined>();
  const sourceOf = ({ source: { service, operation: own } }: PlannedSubscription<OperationContext>) => {
    if (!opened.has(own)) opened.set(own, openSource(service, documentOf(own)));
    return opened.get(own);
  };
  return {
    open: (variables, context) => {
      const openPlanned = (planned: PlannedSubscription<OperationContext>) => {
        const source = sourceOf(planned);
        if (!source) return failedEvents([noSourceOfSubscription()]);
        return mapEvents(source.open(variables, context), (event) => joinedEvent(planned, event, variables, context));
      };
      const fail = (error: unknown) => {
        // The fields that `@skip` and `@include` leave may not be plannable.
        if (!(error instanceof UnplannableOperation)) throw error;
        return failedEvents([unplannableOperation(error, context)]);
      };
      let planned: ReturnType<typeof join.plan>;
      try {
        planned = join.plan(variables);
      } catch (error) {
        return fail(error);
      }
      if (!(planned instanceof Promise)) return openPlanned(planned);
      return laterEvents(
        planned.then(
          (one) => () => openPlanned(one),
          (error: unknown) => () => fail(error),
        ),
      );
    },
  };
}

/** Completes an event in its own context, so that HTTP headers from sources do not accumulate. */
async function joinedEvent(
  planned: PlannedSubscription<OperationContext>,
  event: ExecutionResult,
  variables: Variables,
  context: OperationContext,
): Promise<ExecutionResult> {
  const own = contextOfOneEvent(context);
  return toExecutionResult(await planned.join(event, variables, own), own);
}

export function documentOf(operation: OperationDefinitionNode): OperationDocument {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] };
  return { document, operation };
}

/** Converts a joined result: to bytes if it contains only data, otherwise to an `ExecutionResult`. */
export function toOperationAnswer(result: JoinResult, context: OperationContext): OperationAnswer {
  const { data, errors } = result;
  if (errors.length > 0 || data[0] === 'null') return toExecutionResult(result, context);
  takeHints(result, context);
  const last = data.length - 1;
  return new PassthroughBody(
    data.map((part, at) => Buffer.from(`${at === 0 ? '{"data":' : ''}${part}${at === last ? '}' : ''}`)),
  );
}

function toExecutionResult(result: JoinResult, context: OperationContext): ExecutionResult {
  takeHints(result, context);
  const { data, errors = [] } = responseObject(result);
  const graphqlErrors = errors.map(
    ({ message, path, extensions, cause }) =>
      new GraphQLError(message, {
        ...(path && { path }),
        ...(cause && { originalError: cause }),
        extensions: { ...withoutTraces(extensions) },
      }),
  );
  return { data, ...(graphqlErrors.length > 0 && { errors: graphqlErrors }) };
}

function takeHints({ extensions }: JoinResult, context: OperationContext): void {
  for (const one of extensions) takeHttpHints(one.extensions, context.http);
}

export function undefinedIfUnplannable<T>(prepare: () => T): T | undefined {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof UnplannableOperation) return undefined;
    throw error;
  }
}

/** Creates the result of an operation that cannot be planned. A rejection has no `data`. */
export function rejectedResult(error: unknown, context: OperationContext): ExecutionResult {
  if (error instanceof UnplannableOperation) return { errors: [unplannableOperation(error, context)] };
  return { data: null, errors: [new GraphQLError('internal error', { originalError: error as Error })] };
}
