import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Variables } from '../../graphql/syntax/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import type {
  CompiledOperation,
  CompiledSubscription,
  IncrementalOperation,
  OperationAnswer,
  OperationDocument,
} from '../compiled-operation.ts';
import {
  type NamespaceWrapping,
  singleNamespace,
  unwrapSeveral,
  unwrapSingle,
  wrapSeveral,
  wrapSingle,
} from '../customization/index.ts';
import { misplacedFile } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { resultOfAnswer } from '../result-of-answer.ts';
import type { Subschema } from '../source.ts';
import { failedEvents, mapEvents } from '../source-events.ts';
import { type ResponseShape, responseShape } from './response-shape.ts';
import { isAsItIs, type RoleView } from './role-view.ts';
import { type SentOperation, sentOperation } from './sent-operation.ts';
import { visibleResponse } from './visible-response.ts';

/** The functions with which a source runs operations on its own fields. */
export type SourceOperations = Pick<Subschema, 'compile' | 'compileSubscription' | 'incremental'>;

/**
 * Creates the functions with which a source runs the operations of a role. Operations are translated once, when they
 * are compiled. A response is relayed unchanged if nothing in it can differ from what the role sees.
 *
 * @param source runs operations in the source's own names.
 */
export function transformedOperations(source: SourceOperations, view: RoleView): SourceOperations {
  if (isAsItIs(view)) return source;
  const { compile, compileSubscription, incremental } = source;
  return {
    ...(compile && {
      compile: (written) => {
        const operation = translated(written, view);
        return operation && compiledOperation(operation, compile, view);
      },
    }),
    ...(compileSubscription && {
      compileSubscription: (written) => {
        const operation = translated(written, view);
        return operation && compiledSubscription(operation, compileSubscription, view);
      },
    }),
    ...(incremental && {
      incremental: {
        directives: incremental.directives,
        compile: (written) => {
          const operation = translated(written, view);
          return operation && incrementalOperation(operation, incremental);
        },
      },
    }),
  };
}

/** A translated operation, with the rules for reading its responses. */
interface Translated extends SentOperation {
  readonly shape: ResponseShape | undefined;
  readonly wrapping: NamespaceWrapping | undefined;
}

/**
 * Translates an operation. Returns undefined for a mutation that selects its namespace under several response keys. A
 * failure in one namespace must not discard the results of the others, so each needs a separate request.
 */
function translated(whole: OperationDocument, view: RoleView): Translated | undefined {
  const { customized, upstream } = view;
  const { namespace, schema } = customized;
  if (namespace === undefined) {
    const shape = responseShape(view, whole);
    return { ...sentOperation(view, whole, shape), shape, wrapping: undefined };
  }
  const kind = whole.operation.operation;
  const root = schema.getRootType(kind);
  const types = { root: root?.name ?? '', namespace: String(root?.getFields()[namespace]?.type) };
  const single = singleNamespace(whole, namespace);
  const shape = responseShape(view, single ?? whole);
  const sent = sentOperation(view, single ?? whole, shape);
  if (single) return { ...sent, ...unwrapSingle(sent), shape, wrapping: wrapSingle(single, types) };
  const { keys, ...unwrapped } = unwrapSeveral(sent, namespace, upstream.getRootType(kind)?.name ?? '');
  if (kind === 'mutation' && keys.length > 1) return undefined;
  return { ...sent, ...unwrapped, shape, wrapping: wrapSeveral(whole.document, whole.operation, keys, types) };
}

function compiledOperation(
  operation: Translated,
  compile: NonNullable<SourceOperations['compile']>,
  view: RoleView,
): CompiledOperation | undefined {
  const { shape, wrapping, variables: variablesFor } = operation;
  const { constant } = wrapping ?? {};
  if (constant && operation.operation.operation !== 'subscription')
    return { kind: 'local', run: (_variables, _context, done) => done(constant) };
  const compiled = compile(operation);
  if (!compiled) return undefined;
  const read = shape || wrapping ? answerReader(operation, view) : undefined;
  return {
    ...compiled,
    run: (variables, context, done) => {
      const sent = variablesFor ? sentOrFailed(operation, variablesFor, variables, context) : variables;
      if (sent instanceof GraphQLError) done({ data: null, errors: [sent] });
      else compiled.run(sent, context, read ? (answer) => done(read(answer, variables)) : done);
    },
  };
}

function compiledSubscription(
  operation: Translated,
  compile: NonNullable<SourceOperations['compileSubscription']>,
  view: RoleView,
): CompiledSubscription | undefined {
  const { shape, wrapping, variables: variablesFor } = operation;
  const compiled = compile(operation);
  if (!compiled) return undefined;
  const read = shape || wrapping ? resultReader(operation, view) : undefined;
  return {
    open: (variables, context) => {
      const sent = variablesFor ? sentOrFailed(operation, variablesFor, variables, context) : variables;
      if (sent instanceof GraphQLError) return failedEvents([sent]);
      const events = compiled.open(sent, context);
      return read ? mapEvents(events, (event) => read(event, variables)) : events;
    },
  };
}

/**
 * Payloads refer to positions of the source's response, so they are only supported if responses are relayed unchanged.
 */
function incrementalOperation(
  operation: Translated,
  incremental: NonNullable<SourceOperations['incremental']>,
): IncrementalOperation | undefined {
  const { shape, wrapping, variables: variablesFor } = operation;
  const compiled = shape || wrapping ? undefined : incremental.compile(operation);
  if (!compiled || !variablesFor) return compiled;
  return {
    run: (variables, context, accept, receiver) => {
      const sent = sentOrFailed(operation, variablesFor, variables, context);
      if (sent instanceof GraphQLError) receiver.answered({ data: null, errors: [sent] });
      else compiled.run(sent, context, accept, receiver);
    },
  };
}

function sentOrFailed(
  { fileVariables }: Translated,
  variablesFor: NonNullable<SentOperation['variables']>,
  variables: Variables,
  { session, files }: OperationContext,
): Variables | GraphQLError {
  // A file would replace a preset that is sent in a variable of the same name.
  const places = files ? [...files.places.values()].flat() : [];
  if (!places.every((place) => fileVariables?.has(place.split('.')[1] ?? ''))) return misplacedFile();
  try {
    return variablesFor(variables, session);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

type ResultReader = (result: ExecutionResult, variables: Variables) => ExecutionResult;

function resultReader({ shape, wrapping }: Translated, view: RoleView): ResultReader {
  const see = shape && seenBy(shape, view);
  return (result, variables) => {
    const wrapped = wrapping ? wrapping.wrap(result, variables) : result;
    return see ? see(wrapped) : wrapped;
  };
}

/** Reads results. Bytes are only parsed if something may have to be changed, and relayed if nothing changed. */
function answerReader(
  operation: Translated,
  view: RoleView,
): (answer: OperationAnswer, variables: Variables) => OperationAnswer {
  const { shape, wrapping } = operation;
  const see = shape && seenBy(shape, view);
  const read = resultReader(operation, view);
  return (answer, variables) => {
    if (!(answer instanceof PassthroughBody)) return read(answer, variables);
    if (!see && wrapping?.wrapBody) return wrapping.wrapBody(answer);
    const result = resultOfAnswer(answer, view.service);
    const wrapped = wrapping ? wrapping.wrap(result, variables) : result;
    const seen = see ? see(wrapped) : wrapped;
    const isChanged = seen !== wrapped || result.errors !== undefined;
    if (isChanged || (wrapping && !wrapping.wrapBody)) return seen;
    return wrapping?.wrapBody ? wrapping.wrapBody(answer) : answer;
  };
}

function seenBy(shape: ResponseShape, { customized, service }: RoleView): (result: ExecutionResult) => ExecutionResult {
  const graphNames = new Map([...customized.types].map(([ours, theirs]) => [theirs, ours]));
  return (result) => visibleResponse(result, shape, graphNames, service);
}
