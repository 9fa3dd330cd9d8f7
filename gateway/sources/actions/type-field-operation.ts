import {
  coerceInputValue,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  isRequiredArgument,
  Kind,
} from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import type { CompiledOperation, OperationAnswer, OperationDocument } from '../compiled-operation.ts';
import { resultOfExecution } from '../local-operation.ts';
import { type OperationContext, withoutHints } from '../operation-context.ts';
import { type SelectedMember, selectedMembers, writeActionValue } from './action-answer.ts';
import type { ActionOutcome } from './action-webhook.ts';
import type { CallForObjects, ObjectInput } from './type-field-calls.ts';
import { clientValues, keysOf } from './type-fields.ts';

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

/** A root field of an operation, with the objects that it is called for. */
interface CalledField {
  readonly key: string;
  readonly node: FieldNode;
  readonly executed: GraphQLField<unknown, unknown>;
  readonly action: CallableTypeField;
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
    if (node.kind !== Kind.FIELD) return undefined;
    const executed = root.getFields()[node.name.value];
    const action = actions.get(node.name.value);
    if (!executed || !action) return undefined;
    called.push({ key: (node.alias ?? node.name).value, node, executed, action });
  }
  const members = selectedMembers([operation.selectionSet.selections], root, fragmentsOf(document));
  const isWritten = members?.every((member) => member.members !== undefined) === true;
  return {
    kind: 'local',
    run: (variables, context, done) => {
      const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
      if (!coerced) {
        done({ data: null, errors: errors ?? [] });
        return;
      }
      const asked = called.map((field) => askedObjects(field, coerced));
      const complete = (): OperationAnswer => {
        const values = new Map(asked.map((one) => [one.key, one.values()]));
        const written = isWritten ? writeValues(members, values) : undefined;
        // graphql-js completes values that do not fit their types.
        const contextValue: TypeFieldContext = { values };
        return written ?? (execute({ schema, document, variableValues: variables, contextValue }) as OperationAnswer);
      };
      callActions(asked, withoutHints(context), () => done(resultOfExecution(complete)));
    },
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

function askedObjects(field: CalledField, variables: Readonly<Record<string, unknown>>): AskedObjects {
  const { executed, node, action } = field;
  let args: Readonly<Record<string, unknown>>;
  try {
    args = getArgumentValues(executed, node, variables);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    // The planner always gives the objects as a variable.
    const [objects] = node.arguments ?? [];
    const given = objects?.value.kind === Kind.VARIABLE ? variables[objects.value.name.value] : undefined;
    const count = Array.isArray(given) ? given.length : 0;
    return new AskedObjects(field, new Array(count).fill(error));
  }
  const client = clientValues(args);
  const inputs = keysOf(args).map((key) => inputFor(action.written, key, client));
  return new AskedObjects(field, inputs);
}

/** The input of the action for one object: the values of its key and the client's arguments. */
function inputFor(
  { name: action, args }: GraphQLField<unknown, unknown>,
  key: unknown,
  client: Readonly<Record<string, unknown>>,
): ObjectInput | GraphQLError {
  const own = isJsonObject(key) ? key : {};
  const input: [string, unknown][] = [];
  for (const argument of args) {
    const { name, type } = argument;
    if (Object.hasOwn(client, name)) input.push([name, client[name]]);
    if (!Object.hasOwn(own, name)) {
      if (isRequiredArgument(argument) && !Object.hasOwn(client, name)) return unfitKey(action, name, String(type));
      continue;
    }
    let isUnfit = false;
    const value = coerceInputValue(own[name], type, () => {
      isUnfit = true;
    });
    if (isUnfit) return unfitKey(action, name, String(type));
    input.push([name, value]);
  }
  return Object.fromEntries(input);
}

/** The object's service returned a value of another type. The message does not repeat the value. */
function unfitKey(action: string, field: string, type: string): GraphQLError {
  const message = `the key field "${field}" of the object is not of the type ${type} that the action takes`;
  return new GraphQLError(message, { extensions: { code: 'unexpected', service: action } });
}

/** Calls each action for all of its objects. Equal inputs are sent once. */
function callActions(asked: readonly AskedObjects[], context: OperationContext, done: () => void): void {
  const byAction = new Map<CallableTypeField, Map<string, InputOfObjects>>();
  for (const objects of asked)
    objects.inputs.forEach((input, index) => {
      if (input instanceof GraphQLError) return;
      const inputs = byAction.get(objects.action) ?? new Map<string, InputOfObjects>();
      byAction.set(objects.action, inputs);
      const text = JSON.stringify(input);
      const known = inputs.get(text);
      if (known) known.objects.push({ objects, index });
      else inputs.set(text, { input, objects: [{ objects, index }] });
    });
  let left = byAction.size;
  if (left === 0) done();
  for (const [action, found] of byAction) {
    const inputs = [...found.values()];
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
}

interface InputOfObjects {
  readonly input: ObjectInput;
  readonly objects: { readonly objects: AskedObjects; readonly index: number }[];
}

/** Writes the values of all root fields. Returns undefined if a value does not fit its type. */
function writeValues(
  members: readonly SelectedMember[],
  values: ReadonlyMap<string, readonly unknown[]>,
): OperationAnswer | undefined {
  const errors: GraphQLError[] = [];
  let text = '{';
  for (const { prefix, key, type, members: inner } of members) {
    const items = (values.get(key) ?? []).map((value, index) => {
      if (!(value instanceof Error)) return value;
      const extensions = value instanceof GraphQLError ? value.extensions : {};
      errors.push(new GraphQLError(value.message, { path: [key, index], extensions, originalError: value }));
      return null;
    });
    const written = writeActionValue(items, type, inner);
    if (written === undefined) return undefined;
    text += prefix + written;
  }
  text += '}';
  if (errors.length > 0) return { data: JSON.parse(text), errors };
  return new PassthroughBody([Buffer.from(`{"data":${text}}`)]);
}
