import type {
  ExecutionRequest,
  ExecutionResult,
  Executor,
  MaybeAsyncIterable,
  MaybePromise,
} from '@graphql-tools/utils';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { OperationContext } from '../operation-context.ts';
import { failedEvents } from '../source-events.ts';
import type { Presets } from './preset.ts';
import { PresetFilling } from './preset-filling.ts';

/**
 * Puts a role's presets into every operation before it goes to the remote.
 *
 * @param schema the role's part of the remote schema, with the inputs that are preset.
 */
export function withPresets(
  executor: Executor<OperationContext>,
  presets: Presets,
  schema: GraphQLSchema,
  service: string,
): Executor<OperationContext> {
  if (presets.size === 0) return executor;
  return (request: ExecutionRequest): MaybePromise<MaybeAsyncIterable<ExecutionResult>> => {
    const context = request.context as OperationContext | undefined;
    if (!context) throw new TypeError('an operation without a caller');
    try {
      return executor(new PresetFilling({ request, presets, schema, session: context.session, service }).fill());
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return request.operationType === 'subscription' ? failedEvents([error]) : { data: null, errors: [error] };
    }
  };
}
