import {
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  isAsyncIterable,
  type MaybeAsyncIterable,
} from '@graphql-tools/utils';
import { type DocumentNode, type FieldNode, GraphQLError, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { CustomizedSchema } from '../customization/index.ts';
import { renameTypesAt, typeNamePlaces, type Unwrapped, unwrapNamespace } from '../customization/index.ts';
import type { OperationContext } from '../operation-context.ts';
import { mapEvents } from '../source-events.ts';

/** Runs operations in the graph's names on a remote schema that has other ones. */
export function withCustomization(
  executor: Executor<OperationContext>,
  customized: CustomizedSchema,
): Executor<OperationContext> {
  const { namespace, types, fields } = customized;
  if (namespace === undefined && types.size === 0 && fields.size === 0) return executor;
  const newNames = new Map([...types].map(([renamed, old]) => [old, renamed]));
  return async (request: ExecutionRequest): Promise<MaybeAsyncIterable<ExecutionResult>> => {
    const renamed = inRemoteNames(request.document, customized);
    const unwrapped = namespace === undefined ? undefined : unwrapNamespace(renamed, namespace);
    const document = unwrapped?.document ?? renamed;
    const result = await executor({ ...request, document });
    // Stitching selects type names as `__typename` and nothing else by that key, so their places are never in doubt.
    const places = newNames.size > 0 ? typeNamePlaces(document) : undefined;
    const inGraphNames = (answer: ExecutionResult): ExecutionResult => {
      // The gateway determines types by `__typename`, so it needs the graph's names there.
      if (places) renameTypesAt(answer.data, places, newNames);
      return unwrapped ? wrappedResult(answer, unwrapped) : answer;
    };
    if (!isAsyncIterable(result)) return inGraphNames(result as ExecutionResult);
    const events = result[Symbol.asyncIterator]() as AsyncIterator<ExecutionResult>;
    return mapEvents(events, inGraphNames);
  };
}

export function inRemoteNames(document: DocumentNode, { schema, types, fields }: CustomizedSchema): DocumentNode {
  const info = new TypeInfo(schema);
  return visit(
    document,
    visitWithTypeInfo(info, {
      NamedType: {
        leave: (node) => {
          const old = types.get(node.name.value);
          return old === undefined ? undefined : { ...node, name: { ...node.name, value: old } };
        },
      },
      Field: {
        leave: (node): FieldNode | undefined => {
          const old = fields.get(`${info.getParentType()?.name}.${node.name.value}`);
          if (old === undefined) return undefined;
          return { ...node, alias: node.alias ?? node.name, name: { ...node.name, value: old } };
        },
      },
    }),
  );
}

function wrappedResult(result: ExecutionResult, unwrapped: Unwrapped): ExecutionResult {
  const { data, errors } = result;
  return {
    ...result,
    ...(data && { data: unwrapped.wrapData(data) }),
    ...(errors && { errors: errors.map((error) => relocated(error, unwrapped)) }),
  };
}

function relocated(error: GraphQLError, { wrapPath }: Unwrapped): GraphQLError {
  if (!error.path) return error;
  return new GraphQLError(error.message, { path: wrapPath(error.path), extensions: error.extensions });
}
