import {
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
} from 'graphql';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import type { CompiledOperation, OperationAnswer, OperationDocument } from '../compiled-operation.ts';
import { resultOfExecution } from '../local-operation.ts';
import { type OperationContext, withoutHints } from '../operation-context.ts';
import { selectedMembers } from './action-answer.ts';
import type { CallForObjects } from './type-field-calls.ts';
import { compileInputs, type ObjectInput, UnfitKey } from './type-field-inputs.ts';
import { canWriteValues, selectValues } from './type-field-values.ts';
import { isObjectsArgument } from './type-fields.ts';
import type { ActionOutcome } from './webhook/index.ts';

/** An action that is a field of a type. */
export interface CallableTypeField {
  /** The field as it is written, whose arguments are those of the action. */
  readonly written: GraphQLField<unknown, unknown>;
  readonly call: CallForObjects;
}

/** The execution context of the resolvers of type fields: the values and errors by response key. */
export interface TypeFieldContext {
  readonly values: ReadonlyMap<string, readonly unknown[]>;
}

/** A root field of an operation. */
interface CalledField {
  readonly key: string;
  /** The field with the client's arguments only. */
  readonly node: FieldNode;
  readonly executed: GraphQLField<unknown, unknown>;
  /** The variable with the keys of the objects. */
  readonly objects: string;
  readonly action: CallableTypeField;
  readonly inputFor: ReturnType<typeof compileInputs>;
}

/**
 * Compiles an operation whose root fields are actions that are fields of types. Each action is called once for all root
 * fields of the operation, whatever their arguments and selections are.
 *
 * @param schema the executed schema, whose resolvers expect a `TypeFieldContext`
 * @returns undefined for other operations
 */
export function compileTypeFields(
  { document, operation }: OperationDocument,
  schema: GraphQLSchema,
  actions: ReadonlyMap<string, CallableTypeField>,
): CompiledOperation | undefined {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || !root) return undefined;
  const called: CalledField[] = [];
  for (const node of operation.selectionSet.selections) {
    const name = node.kind === Kind.FIELD ? node.name.value : '';
    const found = node.kind === Kind.FIELD && calledField(node, root.getFields()[name], actions.get(name));
    if (!found) return undefined;
    called.push(found);
  }
  const members = selectedMembers([operation.selectionSet.selections], root, fragmentsOf(document));
  const selected = members && canWriteValues(members) ? members : undefined;
  // The planner gives the objects. Only the client's variables have to be coerced.
  const objects = new Set(called.map((field) => field.objects));
  const ofClient = (operation.variableDefinitions ?? []).filter(({ variable }) => !objects.has(variable.name.value));
  return {
    kind: 'local',
    run: (variables, context, done) => {
      const coerced = ofClient.length > 0 ? getVariableValues(schema, ofClient, variables) : NO_VARIABLES;
      if (!coerced.coerced) {
        done({ data: null, errors: coerced.errors ?? [] });
        return;
      }
      const client = coerced.coerced;
      const asked = called.map((field) => askedObjects(field, variables[field.objects], client));
      const complete = (): OperationAnswer => {
        const values = new Map(asked.map((one) => [one.key, one.values()]));
        const result = selected && selectValues(selected, values);
        // graphql-js completes values that do not fit their types.
        const contextValue: TypeFieldContext = { values };
        return result ?? (execute({ schema, document, variableValues: variables, contextValue }) as OperationAnswer);
      };
      callActions(asked, withoutHints(context), () => done(resultOfExecution(complete)));
    },
  };
}

const NO_VARIABLES = { coerced: {}, errors: undefined } as const;

function calledField(
  node: FieldNode,
  executed: GraphQLField<unknown, unknown> | undefined,
  action: CallableTypeField | undefined,
): CalledField | undefined {
  if (!executed || !action) return undefined;
  const { arguments: given = [] } = node;
  const objects = given.find(({ name }) => isObjectsArgument(name.value))?.value;
  if (objects?.kind !== Kind.VARIABLE) return undefined;
  const clientArguments = executed.args.filter(({ name }) => !isObjectsArgument(name));
  const names = new Set(clientArguments.map(({ name }) => name));
  return {
    key: (node.alias ?? node.name).value,
    node: { ...node, arguments: given.filter(({ name }) => !isObjectsArgument(name.value)) },
    executed: { ...executed, args: clientArguments },
    objects: objects.name.value,
    action,
    inputFor: compileInputs(
      action.written,
      new Set(action.written.args.flatMap(({ name }) => (names.has(name) ? [] : [name]))),
    ),
  };
}

/** The objects of one root field. */
class AskedObjects {
  readonly key: string;
  readonly action: CallableTypeField;
  /** The input or the error of each object. */
  readonly inputs: readonly (ObjectInput | GraphQLError)[];
  readonly #outcomes: (ActionOutcome | undefined)[] = [];

  constructor({ key, action }: CalledField, inputs: readonly (ObjectInput | GraphQLError)[]) {
    this.key = key;
    this.action = action;
    this.inputs = inputs;
  }

  take(index: number, outcome: ActionOutcome): void {
    this.#outcomes[index] = outcome;
  }

  /** The value of each object. An error is the value of an object without one. */
  values(): readonly unknown[] {
    return this.inputs.map((input, index) => {
      if (input instanceof GraphQLError) return input;
      const outcome = this.#outcomes[index];
      if (!outcome || !('error' in outcome)) return outcome?.value ?? null;
      return outcome.error instanceof Error ? outcome.error : new GraphQLError(String(outcome.error));
    });
  }
}

function askedObjects(field: CalledField, given: unknown, variables: Readonly<Record<string, unknown>>): AskedObjects {
  const { executed, node, action, inputFor } = field;
  const objects: readonly unknown[] = Array.isArray(given) ? given : [];
  let client: ObjectInput;
  try {
    client = executed.args.length > 0 ? getArgumentValues(executed, node, variables) : NO_ARGUMENTS;
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return new AskedObjects(field, new Array(objects.length).fill(error));
  }
  const inputs = objects.map((key) => {
    const input = inputFor(key, client);
    return input instanceof UnfitKey ? unfitKey(action.written.name, input) : input;
  });
  return new AskedObjects(field, inputs);
}

const NO_ARGUMENTS: ObjectInput = {};

/** Calls each action for all of its objects. Equal inputs of several root fields are sent once. */
function callActions(asked: readonly AskedObjects[], context: OperationContext, done: () => void): void {
  const byAction = new Map<CallableTypeField, InputOfObjects[]>();
  const texts = asked.length > 1 ? new Map<string, InputOfObjects>() : undefined;
  for (const objects of asked) {
    const inputs = byAction.get(objects.action) ?? [];
    for (const [index, input] of objects.inputs.entries()) {
      if (input instanceof GraphQLError) continue;
      // The planner gives each key to a root field once.
      const text = texts && JSON.stringify([objects.action.written.name, input]);
      const known = text === undefined ? undefined : texts?.get(text);
      if (known) {
        known.objects.push({ objects, index });
        continue;
      }
      const added: InputOfObjects = { input, objects: [{ objects, index }] };
      if (text !== undefined) texts?.set(text, added);
      inputs.push(added);
    }
    if (inputs.length > 0) byAction.set(objects.action, inputs);
  }
  let left = byAction.size;
  if (left === 0) done();
  for (const [action, inputs] of byAction)
    action.call(
      inputs.map(({ input }) => input),
      context,
      (outcomes) => {
        inputs.forEach((one, at) => {
          const outcome = outcomes[at] ?? { value: null };
          for (const { objects, index } of one.objects) objects.take(index, outcome);
        });
        left -= 1;
        if (left === 0) done();
      },
    );
}

interface InputOfObjects {
  readonly input: ObjectInput;
  readonly objects: { readonly objects: AskedObjects; readonly index: number }[];
}

/** The object's service returned a value of another type. The message does not repeat the value. */
function unfitKey(action: string, { field, type }: UnfitKey): GraphQLError {
  const message = `the key field "${field}" of the object is not of the type ${type} that the action takes`;
  return new GraphQLError(message, { extensions: { code: 'unexpected', service: action } });
}
