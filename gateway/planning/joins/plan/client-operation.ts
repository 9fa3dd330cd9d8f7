import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../../../graphql/syntax/index.ts';
import { fieldText } from '../../supergraph/index.ts';
import { OperationTooComplex, UnplannableOperation } from '../errors.ts';

/** A client's operation, analysed for planning and for writing its response. */
export interface ClientOperation {
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` use, with their defaults. */
  readonly conditions: readonly { readonly name: string; readonly byDefault: boolean }[];
  /**
   * The key of a client's field in the data of a run, which differs from the client's response key if that is not safe
   * as a property.
   */
  responseKey(field: FieldNode): string;
  /** The key of a field that the planner needs: the field's name, unless the client uses that for something else. */
  ownKey(field: FieldNode): string;
  /** Fields that the client is not permitted to access. */
  readonly refused: ReadonlySet<FieldNode>;
  /** Whether all keys are the client's response keys. */
  readonly hasClientKeys: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_FIELDS: ReadonlySet<FieldNode> = new Set();

/** Values of the variables that `@skip` and `@include` use. */
export type Conditions = ReadonlyMap<string, boolean>;

/**
 * Reads one operation of a valid document.
 * @param hidden the names of fields that clients do not see in some service
 * @param refused fields that the client is not permitted to access
 * @throws UnplannableOperation if the document has no such operation; OperationTooComplex if it is nested too deeply
 */
export function readClientOperation(
  document: DocumentNode,
  operationName: string | undefined,
  hidden: ReadonlySet<string> = NO_NAMES,
  refused: ReadonlySet<FieldNode> = NO_FIELDS,
): ClientOperation {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const definition =
    operationName === undefined && operations.length === 1
      ? operations[0]
      : operations.find((operation) => operation.name?.value === operationName);
  if (!definition) throw new UnplannableOperation('the document has no such operation');
  const fragments = fragmentsOf(document);
  const { fields, directives } = partsOf([definition, ...fragments.values()]);
  const notShared = refused.size === 0 ? hidden : new Set([...hidden, ...[...refused].map(({ name }) => name.value)]);
  const { responseKey, ownKey } = keysOf(fields, notShared);
  return {
    definition,
    fragments,
    conditions: conditionsOf(directives, definition),
    responseKey,
    ownKey,
    refused,
    hasClientKeys: fields.every((field) => responseKey(field) === (field.alias ?? field.name).value),
  };
}

/** Whether `@skip` and `@include` keep a selection. */
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

/**
 * The maximum number of nested selections in an operation or fragment, including inline fragments. Deeper ones would
 * exhaust the stack.
 */
const MOST_LEVELS = 200;

/** All fields and directives of selections, in one pass. graphql-js's visitor takes ten times as long. */
function partsOf(definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[]) {
  const fields: FieldNode[] = [];
  const directives: DirectiveNode[] = [];
  const open = ({ selections }: SelectionSetNode, level: number): void => {
    if (level > MOST_LEVELS) throw new OperationTooComplex();
    for (const selection of selections) {
      if (selection.directives) directives.push(...selection.directives);
      if (selection.kind === Kind.FIELD) fields.push(selection);
      if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) open(selection.selectionSet, level + 1);
    }
  };
  for (const { selectionSet } of definitions) open(selectionSet, 0);
  return { fields, directives };
}

function conditionsOf(directives: readonly DirectiveNode[], definition: OperationDefinitionNode) {
  const names = new Set<string>();
  for (const { name, arguments: given } of directives) {
    if (name.value !== 'skip' && name.value !== 'include') continue;
    const value = given?.[0]?.value;
    if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
  }
  return (definition.variableDefinitions ?? [])
    .filter(({ variable }) => names.has(variable.name.value))
    .map(({ variable, defaultValue }) => ({
      name: variable.name.value,
      byDefault: defaultValue?.kind === Kind.BOOLEAN && defaultValue.value,
    }));
}

/**
 * Assigns keys in the data. The planner itself uses keys with a leading underscore. Names of properties that every
 * JavaScript object has are not safe. Client keys of both kinds are replaced.
 */
function keysOf(
  fields: readonly FieldNode[],
  hidden: ReadonlySet<string>,
): Pick<ClientOperation, 'responseKey' | 'ownKey'> {
  const aliases = new Set<string>();
  /** Names that are response keys of anything other than the field without arguments. */
  const taken = new Set<string>();
  const names = new Set<string>();
  for (const { alias, name, arguments: given } of fields) {
    names.add(name.value);
    if (alias) aliases.add(alias.value);
    if (alias && alias.value !== name.value) taken.add(alias.value);
    else if ((given ?? []).length > 0) taken.add(name.value);
  }
  const calls = new Map<string, string>();
  const others = new Map<string, string>();
  let next = 0;
  return {
    responseKey: ({ alias, name }) => {
      // An object has one type, which is always read under its own name.
      if (name.value === '__typename') return name.value;
      const own = (alias ?? name).value;
      if (!own.startsWith('_') && !(own in Object.prototype)) return own;
      if (own === name.value && !taken.has(own) && own.startsWith('_')) return own;
      const pair = `${own} ${name.value}`;
      let key = others.get(pair);
      while (key === undefined || (!others.has(pair) && (names.has(key) || aliases.has(key))))
        key = `as${next++}_${name.value}`;
      others.set(pair, key);
      return key;
    },
    ownKey: (field) => {
      const { name, arguments: given = [] } = field;
      // If clients do not see a field in a service, the planner's value must never become the value of a client's
      // field.
      const isShared = !taken.has(name.value) && !(hidden.has(name.value) && names.has(name.value));
      if (given.length === 0 && isShared && !(name.value in Object.prototype)) return name.value;
      const call = fieldText(field);
      const key = calls.get(call) ?? `_i${calls.size}_${name.value}`;
      calls.set(call, key);
      return key;
    },
  };
}

/**
 * The root fields with fragments inlined. `@skip` and `@include` are applied if conditions are given; otherwise all
 * root fields are returned.
 */
export function rootFieldsOf({ definition, fragments }: ClientOperation, conditions?: Conditions): FieldNode[] {
  const found: FieldNode[] = [];
  const opened = new Set<string>();
  const open = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (conditions && !isIncluded(selection.directives, conditions)) continue;
      if (selection.kind === Kind.FIELD) found.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) open(selection.selectionSet.selections);
      else {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        // Spreading the fragment again would add the same fields, since conditions on the fields apply wherever it is
        // spread.
        if (!fragment || opened.has(name)) continue;
        opened.add(name);
        open(fragment.selectionSet.selections);
      }
    }
  };
  open(definition.selectionSet.selections);
  return found;
}
