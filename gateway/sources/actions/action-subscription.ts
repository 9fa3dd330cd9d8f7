import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { CompiledSubscription } from '../compiled-operation.ts';
import { noSourceOfSubscription } from '../errors.ts';
import { withoutHints } from '../operation-context.ts';
import { pacedEvents } from '../paced-events.ts';
import { failedEvents, mapEvents } from '../source-events.ts';
import type { ActionContext, SubscribedField } from './action-operation.ts';
import { openHandlerEvents, readHandlerEvent } from './webhook/index.ts';

/**
 * Compiles a subscription whose root field is an action of the kind `subscription`. The handler is called once; each
 * event of its response becomes a result like the response of a synchronous action. An event that does not fit its type
 * gives a result with an error, and the subscription continues.
 *
 * @param executed the schema of all actions; its resolvers expect an `ActionContext`.
 */
export function compileActionSubscription(document: DocumentNode, executed: GraphQLSchema): CompiledSubscription {
  const run = (variables: Readonly<Record<string, unknown>>, contextValue: ActionContext) =>
    execute({ schema: executed, document, variableValues: variables, contextValue }) as ExecutionResult;
  return {
    open: (variables, context) => {
      const fields: SubscribedField[] = [];
      // Conditions, variables and arguments are evaluated by graphql-js before the handler is called.
      const { errors = [] } = run(variables, { context, onField: (field) => fields.push(field) });
      const [field] = fields;
      if (!field) return failedEvents(errors.length > 0 ? errors : [noSourceOfSubscription()]);
      const { action, key, input, fieldArguments } = field;
      const events = openHandlerEvents(action, input, fieldArguments, context);
      return mapEvents(pacedEvents(events, action.maxEventsPerSecond), (event) => {
        const outcomes = new Map([[key, readHandlerEvent(action, event, context)]]);
        return run(variables, { context: withoutHints(context), outcomes });
      });
    },
  };
}
