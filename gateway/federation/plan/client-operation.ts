import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { fieldText, type SupergraphTypes } from '../../supergraph/index.ts';
import { fragmentsOf } from '../../syntax/index.ts';
import { UnplannableOperation } from '../errors.ts';

/** An operation of a client, analysed for planning and for writing its response. */
export interface ClientOperation {
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables that decide about `@skip` and `@include`, with their defaults. */
  readonly conditions: readonly { readonly name: string; readonly byDefault: boolean }[];
  /** The response key of a field in the data of a run; differs from the client's where that could be mistaken for a key field. */
  responseKey(field: FieldNode): string;
  /** Whether no key differs. */
  readonly hasClientKeys: boolean;
  /** Names of variables as the planner sees them, where they differ from the client's. */
  readonly clientVariables: ReadonlyMap<string, string>;
  /** The planner's name of a client's variable. */
  plannedVariable(name: string): string;
}

/** Values of the variables that decide about `@skip` and `@include`. */
export type Conditions = ReadonlyMap<string, boolean>;

type KeyTypes = Pick<SupergraphTypes, 'fieldNames' | 'requiredFields' | 'hasInterfaceObjects'>;

/**
 * Reads one operation of a valid document.
 * @throws UnplannableOperation when the document has no such operation
 */
export function readClientOperation(text: string, operationName: string | undefined, types: KeyTypes): ClientOperation {
  const document = parse(text, { noLocation: true });
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const definition =
    operationName === undefined && operations.length === 1
      ? operations[0]
      : operations.find((operation) => operation.name?.value === operationName);
  if (!definition) throw new UnplannableOperation('the document has no such operation');
  const fragments = fragmentsOf(document);
  const clientVariables = renamedVariables(definition.variableDefinitions ?? []);
  const plannedNames = new Map([...clientVariables].map(([planned, client]) => [client, planned]));
  const responseKey = keyNaming(document, types);
  return {
    definition,
    fragments,
    conditions: conditionsOf(document, definition),
    responseKey,
    hasClientKeys: areClientKeys(document, responseKey),
    clientVariables,
    plannedVariable: (name) => plannedNames.get(name) ?? name,
  };
}

/** Whether `@skip` and `@include` leave a selection in. */
export function isIncluded(directives: readonly DirectiveNode[] | undefined, conditions: Conditions): boolean {
  for (const { name, arguments: given } of directives ?? []) {
    if (name.value !== 'skip' && name.value !== 'include') continue;
    const value = given?.[0]?.value;
    const holds =
      value?.kind === Kind.VARIABLE
        ? conditions.get(value.name.value) === true
        : value?.kind === Kind.BOOLEAN && value.value;
    if (holds === (name.value === 'skip')) return false;
  }
  return true;
}

function conditionsOf(document: DocumentNode, definition: OperationDefinitionNode) {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      if (node.name.value !== 'skip' && node.name.value !== 'include') return;
      const value = node.arguments?.[0]?.value;
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return (definition.variableDefinitions ?? [])
    .filter(({ variable }) => names.has(variable.name.value))
    .map(({ variable, defaultValue }) => ({
      name: variable.name.value,
      byDefault: defaultValue?.kind === Kind.BOOLEAN && defaultValue.value,
    }));
}

/** Names of the planner's own variables, which it would confuse with a client's. */
const PLANNERS_VARIABLE = /^(representations|__batch_reps_\d+)$/;

function renamedVariables(definitions: readonly VariableDefinitionNode[]): Map<string, string> {
  const taken = new Set(definitions.map(({ variable }) => variable.name.value));
  const renamed = new Map<string, string>();
  for (const name of [...taken].filter((one) => PLANNERS_VARIABLE.test(one))) {
    let planned = `client_${name}`;
    while (taken.has(planned)) planned += '_';
    taken.add(planned);
    renamed.set(planned, name);
  }
  return renamed;
}

/**
 * An alias that is also the name of a field could be read as a key or a required field, which the planner does not always
 * notice; one that starts with underscores, or is a property of every JavaScript object, is not safe either. Nor is a field's
 * own name where another field requires it with other arguments: both would be fetched under one key. Where there are
 * interface objects, the planner takes two fields of one key for the same field, though they are of different types.
 */
function keyNaming(
  document: DocumentNode,
  { fieldNames, requiredFields, hasInterfaceObjects }: KeyTypes,
): (field: FieldNode) => string {
  const aliases = new Set<string>();
  const selected = new Set<string>();
  const calls = new Map<string, Map<string, number>>();
  /** Which of the different fields of its key a field is; 0 is left out. By its name's node, which a merged field keeps. */
  const numbers = new Map<NameNode, number>();
  visit(document, {
    Field(node) {
      if (node.alias) aliases.add(node.alias.value);
      selected.add(node.name.value);
      if (!hasInterfaceObjects) return;
      const key = (node.alias ?? node.name).value;
      const known = calls.get(key) ?? new Map<string, number>();
      calls.set(key, known);
      const call = fieldText(node);
      const number = known.get(call) ?? known.size;
      known.set(call, number);
      if (number > 0) numbers.set(node.name, number);
    },
  });
  const required = requiredBy(selected, requiredFields);
  return (field) => {
    const { alias, name } = field;
    // An object has one type, and it is looked for under its own name.
    if (name.value === '__typename') return name.value;
    const number = numbers.get(field.name);
    const own = (alias ?? name).value;
    const unsafe =
      own === name.value
        ? isRequiredOtherwise(field, required.get(own))
        : fieldNames.has(own) || own.startsWith('_') || own in Object.prototype;
    if (!unsafe && number === undefined) return own;
    let key = `as${number ?? ''}${own.startsWith('_') ? '' : '_'}${own}_of_${name.value}`;
    while (fieldNames.has(key) || aliases.has(key)) key += '_';
    return key;
  };
}

/** What the selected fields require, and what that requires in turn, by name. */
function requiredBy(
  selected: ReadonlySet<string>,
  requiredFields: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const required = new Map<string, Set<string>>();
  const names = new Set(selected);
  // A set is iterated over what is added to it meanwhile, too.
  for (const name of names)
    for (const text of requiredFields.get(name) ?? []) {
      const [one = text] = text.split('(');
      required.set(one, (required.get(one) ?? new Set()).add(text));
      names.add(one);
    }
  return required;
}

/** Whether a field is required with other arguments than it is selected with. */
function isRequiredOtherwise(field: FieldNode, required: ReadonlySet<string> | undefined): boolean {
  return required !== undefined && (required.size > 1 || !required.has(fieldText(field)));
}

function areClientKeys(document: DocumentNode, responseKey: (field: FieldNode) => string): boolean {
  let areAll = true;
  visit(document, {
    Field(node) {
      if (responseKey(node) !== (node.alias ?? node.name).value) areAll = false;
    },
  });
  return areAll;
}

/** The root fields, fragments inlined, that `@skip` and `@include` leave. */
export function includedRootFields(operation: ClientOperation, conditions: Conditions): FieldNode[] {
  const found: FieldNode[] = [];
  const opened = new Set<string>();
  const open = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (!isIncluded(selection.directives, conditions)) continue;
      if (selection.kind === Kind.FIELD) found.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) open(selection.selectionSet.selections);
      else {
        const name = selection.name.value;
        const fragment = operation.fragments.get(name);
        // Inlined again, it would add the same fields: they are included or not wherever it is spread.
        if (!fragment || opened.has(name)) continue;
        opened.add(name);
        open(fragment.selectionSet.selections);
      }
    }
  };
  open(operation.definition.selectionSet.selections);
  return found;
}
