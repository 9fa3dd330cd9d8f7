import {
  type DefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { suggestion } from '../../../platform/index.ts';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import type { ActionField, ReportActionProblem } from './action-type-problems.ts';
import type { ActionsMetadata } from './actions.ts';

/** The number of objects in one batched call unless the metadata sets another one. */
const DEFAULT_BATCH_SIZE = 100;

/** A field of a key, with the fields that are selected in it. */
export interface KeyField {
  readonly name: string;
  readonly fields: readonly KeyField[];
}

/** A type's field that an action resolves. */
export interface ActionTypeField {
  readonly type: string;
  readonly name: string;
  readonly key: readonly KeyField[];
  /** The maximum number of objects in one call of the handler. Undefined if each object is a call. */
  readonly batchSize: number | undefined;
}

/**
 * Reads the actions that are fields of types, by the action's name. Adds what can be found without the schemas of services
 * to the problems.
 *
 * @param fields the actions of `actions.graphql`
 * @param types the other definitions of `actions.graphql`
 */
export function actionTypeFields(
  { actions }: ActionsMetadata,
  fields: readonly ActionField[],
  types: readonly DefinitionNode[],
  report: ReportActionProblem,
): ReadonlyMap<string, ActionTypeField> {
  const found = new Map<string, ActionTypeField>();
  const owners = new Map<string, string>();
  actions.forEach(({ name: action, definition }, index) => {
    const { field, authentication_field: isAuthentication } = definition;
    const written = fields.find(({ node }) => node.name.value === action);
    if (!field || !written) return;
    const at = (...path: PropertyKey[]) => ({ path: ['actions', index, 'definition', ...path] });
    const coordinate = `${field.type}.${field.name}`;
    const owner = owners.get(coordinate);
    if (written.root !== 'Query')
      report(`action "${action}" is a mutation: only actions of Query can be fields of a type`, at('field'));
    if (isAuthentication)
      report(`action "${action}": only a root field can be an authentication field`, at('authentication_field'));
    if (owner !== undefined) report(`the action "${owner}" is already the field "${coordinate}"`, at('field', 'name'));
    if (field.max_batch_size !== undefined && !field.batch)
      report('the handler takes one object in each call: requires batch: true', at('field', 'max_batch_size'));
    const key = readKey(field.key);
    const problems = typeof key === 'string' ? [key] : keyProblems(key, written.node, types);
    for (const problem of problems) report(problem, at('field', 'key'));
    owners.set(coordinate, action);
    found.set(action, {
      type: field.type,
      name: field.name,
      key: typeof key === 'string' ? [] : key,
      batchSize: field.batch ? (field.max_batch_size ?? DEFAULT_BATCH_SIZE) : undefined,
    });
  });
  return found;
}

/** Returns the fields of a key, or the problem with its text. */
function readKey(text: string): readonly KeyField[] | string {
  const expected = 'expected fields such as "id" or "id owner { id }"';
  try {
    const [definition, ...others] = parse(`{ ${text} }`, { noLocation: true }).definitions;
    if (definition?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) return expected;
    return fieldsIn(definition.selectionSet) ?? `${expected}, without aliases, arguments, directives and fragments`;
  } catch (error) {
    if (error instanceof GraphQLError) return `${expected}: ${error.message}`;
    throw error;
  }
}

function fieldsIn({ selections }: SelectionSetNode): readonly KeyField[] | undefined {
  const fields: KeyField[] = [];
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || selection.alias) return undefined;
    if ((selection.arguments ?? []).length > 0 || (selection.directives ?? []).length > 0) return undefined;
    const below = selection.selectionSet ? fieldsIn(selection.selectionSet) : [];
    const name = selection.name.value;
    if (!below || fields.some((field) => field.name === name)) return undefined;
    fields.push({ name, fields: below });
  }
  return fields;
}

/** The reasons why the fields of a key cannot be arguments of the action. */
function keyProblems(
  key: readonly KeyField[],
  { name: { value: action }, arguments: inputs = [] }: FieldDefinitionNode,
  types: readonly DefinitionNode[],
): readonly string[] {
  return key.flatMap((field) => {
    const input = inputs.find(({ name }) => name.value === field.name);
    if (input) return nestedProblems(field, input, field.name, types);
    const names = inputs.map(({ name }) => name.value);
    return [
      `the key field "${field.name}" is not an argument of the action "${action}"${suggestion(field.name, names)}`,
    ];
  });
}

function nestedProblems(
  { fields }: KeyField,
  { type }: InputValueDefinitionNode,
  path: string,
  types: readonly DefinitionNode[],
): readonly string[] {
  const name = innermostTypeName(type);
  const input = types.find((one) => one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && one.name.value === name);
  const inputs = input?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? (input.fields ?? []) : undefined;
  if (!inputs)
    return fields.length === 0 ? [] : [`fields are selected in "${path}", whose argument is not an input object`];
  if (fields.length === 0)
    return [`the argument for "${path}" is the input object "${name}": select its fields, such as "${path} { id }"`];
  const missing = inputs.filter(
    (one) =>
      one.type.kind === Kind.NON_NULL_TYPE &&
      !one.defaultValue &&
      !fields.some((field) => field.name === one.name.value),
  );
  return [
    ...missing.map((one) => `the key lacks "${path}.${one.name.value}", which the input object "${name}" requires`),
    ...fields.flatMap((field) => {
      const below = inputs.find((one) => one.name.value === field.name);
      if (below) return nestedProblems(field, below, `${path}.${field.name}`, types);
      const names = inputs.map((one) => one.name.value);
      return [`the input object "${name}" has no field "${field.name}"${suggestion(field.name, names)}`];
    }),
  ];
}
