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

/** An operation of a client, analysed for planning and for writing its response. */
export interface ClientOperation {
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables that decide about `@skip` and `@include`, with their defaults. */
  readonly conditions: readonly { readonly name: string; readonly byDefault: boolean }[];
  /** The response key of a client's field in the data of a run; differs from the client's where that is not safe as a property. */
  responseKey(field: FieldNode): string;
  /** The response key of a field that the planner needs: the field's name, unless the client uses that for something else. */
  ownKey(field: FieldNode): string;
  /** Fields that the caller is refused. */
  readonly refused: ReadonlySet<FieldNode>;
  /** Whether no key differs. */
  readonly hasClientKeys: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_FIELDS: ReadonlySet<FieldNode> = new Set();

/** Values of the variables that decide about `@skip` and `@include`. */
export type Conditions = ReadonlyMap<string, boolean>;

/**
 * Reads one operation of a valid document.
 * @param hidden the names of fields that clients do not see in some service
 * @param refused fields that the caller may not have
 * @throws UnplannableOperation when the document has no such operation; OperationTooComplex when it is nested too deeply
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

/** The most levels of selections in an operation or a fragment, inline fragments among them: deeper ones would exhaust the stack. */
const MOST_LEVELS = 200;

/** All fields and all directives of selections, in one pass: graphql-js' visitor takes ten times as long. */
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
 * Keys of clients that start with underscores are the planner's own, and those that every JavaScript object has as properties
 * are not safe. Both get other ones in the data.
 */
function keysOf(
  fields: readonly FieldNode[],
  hidden: ReadonlySet<string>,
): Pick<ClientOperation, 'responseKey' | 'ownKey'> {
  const aliases = new Set<string>();
  /** Names that are response keys of something else than the field without arguments. */
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
      // An object has one type, and it is looked for under its own name.
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
      // A value that the planner gets where clients do not see the field must never be that of a client's field.
      const isShared = !taken.has(name.value) && !(hidden.has(name.value) && names.has(name.value));
      if (given.length === 0 && isShared && !(name.value in Object.prototype)) return name.value;
      const call = fieldText(field);
      const key = calls.get(call) ?? `_i${calls.size}_${name.value}`;
      calls.set(call, key);
      return key;
    },
  };
}

/** The root fields, fragments inlined, that `@skip` and `@include` leave; all of them where no conditions are given. */
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
        // Inlined again, it would add the same fields: they are included or not wherever it is spread.
        if (!fragment || opened.has(name)) continue;
        opened.add(name);
        open(fragment.selectionSet.selections);
      }
    }
  };
  open(definition.selectionSet.selections);
  return found;
}
