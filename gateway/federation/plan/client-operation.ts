import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
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

/**
 * Reads one operation of a valid document.
 * @throws UnplannableOperation when the document has no such operation
 */
export function readClientOperation(
  text: string,
  operationName: string | undefined,
  fieldNames: ReadonlySet<string>,
): ClientOperation {
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
  const responseKey = keyNaming(document, fieldNames);
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
 * notice; one that starts with underscores, or is a property of every JavaScript object, is not safe either.
 */
function keyNaming(document: DocumentNode, fieldNames: ReadonlySet<string>): (field: FieldNode) => string {
  const aliases = new Set<string>();
  visit(document, {
    Field(node) {
      if (node.alias) aliases.add(node.alias.value);
    },
  });
  return ({ alias, name }) => {
    // An object has one type, and it is looked for under its own name.
    if (!alias || alias.value === name.value || name.value === '__typename') return name.value;
    const unsafe = fieldNames.has(alias.value) || alias.value.startsWith('_') || alias.value in Object.prototype;
    if (!unsafe) return alias.value;
    let key = `as${alias.value.startsWith('_') ? '' : '_'}${alias.value}_of_${name.value}`;
    while (fieldNames.has(key) || aliases.has(key)) key += '_';
    return key;
  };
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
