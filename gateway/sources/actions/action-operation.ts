import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  isNonNullType,
} from 'graphql';
import type { Done } from '../../../platform/index.ts';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import type { CompiledOperation, OperationAnswer } from '../compiled-operation.ts';
import { localOperation, resultOfExecution } from '../local-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { type SelectedMember, selectedMembers, writeAnswers } from './action-answer.ts';
import type { ActionOutcome, FieldArguments, StreamedAction } from './webhook/index.ts';

/** Calls the webhook of one field's action. Calls `done` exactly once with the outcome; never throws. */
export type AnswerAction = (
  input: Record<string, unknown>,
  context: OperationContext,
  done: Done<ActionOutcome>,
  /** The arguments of fields below the action. Undefined if no such field with arguments is selected. */
  fieldArguments?: readonly FieldArguments[],
) => void;

/** The field of a subscription, with its arguments. */
export interface SubscribedField {
  readonly action: StreamedAction;
  /** The response key. */
  readonly key: string;
  readonly input: Record<string, unknown>;
  readonly fieldArguments: readonly FieldArguments[] | undefined;
}

/** The execution context of action resolvers. */
export interface ActionContext {
  readonly context: OperationContext;
  /** Results of the webhooks so far, by response key; absent before the first call. */
  readonly outcomes?: ReadonlyMap<string, ActionOutcome>;
  /** Called for the field of a subscription instead of its handler. */
  readonly onField?: (field: SubscribedField) => void;
  /** Called with the id whose result a subscription selects. */
  readonly onId?: (id: string) => void;
}

/** A root field that is an action. */
interface ActionMember extends SelectedMember {
  readonly field: GraphQLField<unknown, unknown>;
  readonly answer: AnswerAction;
  readonly isNonNull: boolean;
}

/**
 * Compiles an operation whose root fields are actions. Webhook responses are written without graphql-js, which
 * completes only those with errors or with values that do not fit their types.
 *
 * @param document one valid operation and the fragments that it uses.
 * @param executed the schema of all actions; its resolvers expect an `ActionContext`.
 */
export function compileActions(
  document: DocumentNode,
  executed: GraphQLSchema,
  answers: ReadonlyMap<GraphQLField<unknown, unknown>, AnswerAction>,
): CompiledOperation {
  const complete = (variables: Readonly<Record<string, unknown>>, context: ActionContext) =>
    execute({ schema: executed, document, variableValues: variables, contextValue: context }) as ExecutionResult;
  const wholly = localOperation((variables, context) => complete(variables, { context }));
  const operation = getOperationAST(document);
  const root = operation && executed.getRootType(operation.operation);
  const members = root && selectedMembers([operation.selectionSet.selections], root, fragmentsOf(document));
  const actions = members && actionsOf(members, root, answers);
  if (!members || !actions) return wholly;

  const isSerial = operation.operation === 'mutation';
  const declared = operation.variableDefinitions ?? [];
  return {
    kind: 'local',
    run: (variables, context, done) => {
      const { coerced } = getVariableValues(executed, declared, variables);
      const inputs = coerced && coerceActionInputs(actions, coerced);
      if (!inputs) {
        wholly.run(variables, context, done);
        return;
      }
      const answer = (outcomes: ReadonlyMap<string, ActionOutcome>): OperationAnswer => {
        const text = writeAnswers(members, outcomes);
        return text === undefined
          ? complete(variables, { context, outcomes })
          : new PassthroughBody([Buffer.from(`{"data":${text}}`)]);
      };
      callAll(actions, inputs, context, isSerial, (outcomes) => done(resultOfExecution(() => answer(outcomes))));
    },
  };
}

/**
 * Coerces the arguments of each action. Returns undefined if any argument is invalid; graphql-js then reports the field
 * error.
 */
function coerceActionInputs(
  actions: readonly ActionMember[],
  variables: Readonly<Record<string, unknown>>,
): readonly Record<string, unknown>[] | undefined {
  try {
    return actions.map(({ field, node }) => getArgumentValues(field, node, variables));
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

function isNothing(outcome: ActionOutcome): boolean {
  return 'error' in outcome || outcome.value === null;
}

/** Calls the actions: serially in mutations, concurrently in queries. */
function callAll(
  actions: readonly ActionMember[],
  inputs: readonly Record<string, unknown>[],
  context: OperationContext,
  isSerial: boolean,
  done: Done<ReadonlyMap<string, ActionOutcome>>,
): void {
  const outcomes = new Map<string, ActionOutcome>();
  const start = (index: number) => {
    const action = actions[index];
    if (!action) return;
    action.answer(inputs[index] ?? {}, context, (outcome) => {
      outcomes.set(action.key, outcome);
      // An error that leaves no data ends a mutation (GraphQL section 6.2.2).
      if (outcomes.size === actions.length || (isSerial && action.isNonNull && isNothing(outcome))) done(outcomes);
      else if (isSerial) start(index + 1);
    });
  };
  if (isSerial) start(0);
  else for (const index of actions.keys()) start(index);
}

/**
 * Selects the actions among root fields. Returns undefined if there are none or one returns a type that is not an
 * object.
 */
function actionsOf(
  members: readonly SelectedMember[],
  root: GraphQLObjectType,
  answers: ReadonlyMap<GraphQLField<unknown, unknown>, AnswerAction>,
): readonly ActionMember[] | undefined {
  const actions: ActionMember[] = [];
  for (const member of members) {
    if (member.constant !== undefined) continue;
    const field = root.getFields()[member.name];
    const answer = field && answers.get(field);
    // Scalars are serialized by graphql-js.
    if (!answer || !member.members) return undefined;
    actions.push({ ...member, field, answer, isNonNull: isNonNullType(field.type) });
  }
  return actions.length > 0 ? actions : undefined;
}
