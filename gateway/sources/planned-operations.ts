import { type DocumentNode, type ExecutionResult, GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import type { Done } from '../../platform/index.ts';
import {
  type FederatedGraph,
  type JoinResult,
  type PreparedJoin,
  type PreparedSubscription,
  type Refusal,
  responseObject,
  UnplannableOperation,
} from '../federation/index.ts';
import type { Variables } from '../syntax/index.ts';
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
import { failedEvents, mapEvents } from './source-events.ts';

type Graph = FederatedGraph<OperationContext>;

/** Runs a prepared join in another way; false where that is not possible with these variables. */
export type RunOtherwise = (
  join: PreparedJoin<OperationContext>,
  variables: Variables,
  context: OperationContext,
  done: Done<OperationAnswer>,
) => boolean;

export interface JoinOptions {
  readonly runOtherwise?: RunOtherwise;
  readonly refusal?: Refusal | undefined;
}

/**
 * Compiles an operation over several services. One that cannot be planned is compiled to its rejection.
 *
 * @param introspect compiles a document of introspection fields alone
 * @returns undefined for an operation with introspection fields where nothing compiles these
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
  const run = (
    variables: Variables,
    context: OperationContext,
    done: Done<OperationAnswer>,
    introspected?: Readonly<Record<string, unknown>>,
  ) => {
    join.run(variables, context, introspected).then(
      (result) => done(toOperationAnswer(result, context)),
      (error: unknown) => done(rejectedResult(error, context)),
    );
  };
  return {
    kind: 'join',
    // It is called after a run, so that the plan exists.
    describe: (variables) => undefinedIfUnplannable(() => join.describe(variables)),
    run: (variables, context, done) => {
      try {
        if (runOtherwise(join, variables, context, done)) return;
        if (!introspection) run(variables, context, done);
        else
          introspection.run(variables, context, (answer) => {
            const { data, errors } = resultOfAnswer(answer, '');
            if (data) run(variables, context, done, data);
            else done({ data: null, ...(errors && { errors }) });
          });
      } catch (error) {
        done(rejectedResult(error, context));
      }
    },
  };
}

/**
 * Compiles a subscription whose events several services complete.
 *
 * @param openSource compiles what the events come from; undefined where the service has none
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
  const sourceOf = (variables: Variables) => {
    const { service, operation: own } = join.source(variables);
    if (!opened.has(own)) opened.set(own, openSource(service, documentOf(own)));
    return opened.get(own);
  };
  return {
    open: (variables, context) => {
      try {
        const source = sourceOf(variables);
        if (!source) return failedEvents([noSourceOfSubscription()]);
        return mapEvents(source.open(variables, context), (event) => joinedEvent(join, event, variables, context));
      } catch (error) {
        // What `@skip` and `@include` leave may not be plannable.
        if (!(error instanceof UnplannableOperation)) throw error;
        return failedEvents([unplannableOperation(error, context)]);
      }
    },
  };
}

/** HTTP headers from sources do not accumulate: each event has a context of its own. */
async function joinedEvent(
  join: PreparedSubscription<OperationContext>,
  event: ExecutionResult,
  variables: Variables,
  context: OperationContext,
): Promise<ExecutionResult> {
  const own = contextOfOneEvent(context);
  return toExecutionResult(await join.join(event, variables, own), own);
}

export function documentOf(operation: OperationDefinitionNode): OperationDocument {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation] };
  return { document, operation };
}

/** Converts the joined response: to bytes where it is data alone, else to a result. */
export function toOperationAnswer(result: JoinResult, context: OperationContext): OperationAnswer {
  if (result.errors.length > 0 || result.data === 'null') return toExecutionResult(result, context);
  takeHints(result, context);
  return new PassthroughBody([Buffer.from(`{"data":${result.data}}`)]);
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

/** An operation that cannot be planned is rejected: the result has no `data`. */
export function rejectedResult(error: unknown, context: OperationContext): ExecutionResult {
  if (error instanceof UnplannableOperation) return { errors: [unplannableOperation(error, context)] };
  return { data: null, errors: [new GraphQLError('internal error', { originalError: error as Error })] };
}
