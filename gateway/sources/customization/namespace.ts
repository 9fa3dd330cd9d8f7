import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Fragments, fragmentsOf, nameNode, TYPENAME_FIELD } from '../../graphql/syntax/index.ts';

/** An operation and its fragments. */
interface Whole {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** Response keys of `__typename` fields whose value is known in advance, in order. */
export type TypeNameKeys = readonly string[];

/** An operation that selects its namespace once, whatever its variables are. */
export interface SingleNamespace extends Whole {
  /** The response key of the namespace. */
  readonly key: string;
  /**
   * Keys of `__typename` of the root type, before and after the namespace. These fields are removed from the operation.
   */
  readonly outside: { readonly before: TypeNameKeys; readonly after: TypeNameKeys };
  /** Keys of `__typename` of the namespace type, before and after its other fields. */
  readonly inside: { readonly before: TypeNameKeys; readonly after: TypeNameKeys };
  /** Whether the namespace selects no other fields. */
  readonly isEmpty: boolean;
}

/**
 * Reads an operation on a namespace if the source's response can be wrapped without parsing it.
 *
 * @returns undefined if the namespace has several response keys or depends on variables.
 */
export function singleNamespace({ document, operation }: Whole, namespace: string): SingleNamespace | undefined {
  const fragments = fragmentsOf(document);
  const found = unconditionalFields(operation.selectionSet, fragments);
  if (!found) return undefined;
  const spaces = found.filter(({ name }) => name.value === namespace);
  const [key, ...others] = new Set(spaces.map(responseKey));
  if (key === undefined || others.length > 0) return undefined;
  const at = found.findIndex(({ name }) => name.value === namespace);
  const before = keysOf(found.slice(0, at));
  const after = keysOf(found.slice(at).filter(({ name }) => name.value !== namespace));
  const outside = { before, after: after.filter((one) => !before.includes(one)) };
  const written = spaces.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const { selections, inside } = withoutTypeNames(written, fragments);
  const field: FieldNode = {
    ...fieldNamed(namespace),
    alias: nameNode(key),
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const reduced = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: [field] } } as const;
  const definitions = [reduced, ...usedFragments(reduced, fragments)];
  return {
    document: { ...document, definitions },
    operation: reduced,
    key,
    outside,
    inside,
    isEmpty: selections.length === 0,
  };
}

/** The root fields in order. Undefined if a root field or a fragment around it has a directive. */
function unconditionalFields(set: SelectionSetNode, fragments: Fragments): readonly FieldNode[] | undefined {
  const fields: FieldNode[] = [];
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.directives && selection.directives.length > 0) return false;
      if (selection.kind === Kind.FIELD) return fields.push(selection) > 0;
      if (selection.kind === Kind.INLINE_FRAGMENT) return collect(selection.selectionSet);
      const { value } = selection.name;
      if (seen.has(value)) return true;
      seen.add(value);
      const fragment = fragments.get(value);
      return !fragment || collect(fragment.selectionSet);
    });
  return collect(set) ? fields : undefined;
}

/** Removes `__typename` from a namespace if it only occurs before or after all other fields. */
function withoutTypeNames(
  written: readonly SelectionNode[],
  fragments: Fragments,
): { readonly selections: readonly SelectionNode[]; readonly inside: SingleNamespace['inside'] } {
  const isTypeName = (node: SelectionNode) =>
    node.kind === Kind.FIELD && node.name.value === '__typename' && (node.directives ?? []).length === 0;
  const start = written.findIndex((node) => !isTypeName(node));
  const end = written.findLastIndex((node) => !isTypeName(node)) + 1;
  const selections = start < 0 ? [] : written.slice(start, end);
  if (selectsTypeName(selections, fragments)) return { selections: written, inside: { before: [], after: [] } };
  const before = keysOf(written.slice(0, start < 0 ? written.length : start) as readonly FieldNode[]);
  const after = start < 0 ? [] : keysOf(written.slice(end) as readonly FieldNode[]);
  return { selections, inside: { before, after: after.filter((key) => !before.includes(key)) } };
}

/** Whether the same object selects `__typename`, directly or through fragments. */
function selectsTypeName(selections: readonly SelectionNode[], fragments: Fragments): boolean {
  const seen = new Set<string>();
  const isThere = (selection: SelectionNode): boolean => {
    if (selection.kind === Kind.FIELD) return selection.name.value === '__typename';
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet.selections.some(isThere);
    const { value } = selection.name;
    if (seen.has(value)) return false;
    seen.add(value);
    return fragments.get(value)?.selectionSet.selections.some(isThere) ?? false;
  };
  return selections.some(isThere);
}

/** Moves the fields of a single namespace to the root. All names are the source's, except for the namespace itself. */
export function unwrapSingle({ document, operation }: Whole): Whole {
  const [field] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || !field.selectionSet) throw new TypeError('an operation without a namespace');
  const unwrapped = { ...operation, selectionSet: field.selectionSet };
  const definitions = document.definitions.map((one) => (one === operation ? unwrapped : one));
  return { document: { ...document, definitions }, operation: unwrapped };
}

/**
 * Prefixes of response keys at the source. The prefix contains the number of the namespace key, or marks a root field.
 * A key that consists of the number alone shows that the namespace is included.
 */
export const NAMESPACED_KEY = /^ns(\d+)(?:_(.+))?$/s;
export const ROOT_KEY = /^root_(.+)$/s;

/**
 * Moves the fields of a namespace to the root under generated keys. Used if the namespace is selected several times or
 * conditionally. Fragments are copied for each key.
 *
 * @param rootType the source's name of the root type.
 * @returns the operation, and the response keys of the namespace by number.
 */
export function unwrapSeveral(
  { document, operation }: Whole,
  namespace: string,
  rootType: string,
): Whole & { readonly keys: readonly string[] } {
  const copies = new FragmentCopies(document);
  const isSubscription = operation.operation === 'subscription';
  const keys: string[] = [];
  const prefixed = (set: SelectionSetNode, prefix: string): SelectionSetNode =>
    copies.mapped(set, prefix, undefined, (field) => [aliased(field, prefix)]);
  const atRoot = (field: FieldNode): readonly SelectionNode[] => {
    if (field.name.value !== namespace || !field.selectionSet) return [aliased(field, 'root_')];
    const key = responseKey(field);
    if (!keys.includes(key)) keys.push(key);
    const number = `ns${keys.indexOf(key)}`;
    const { selections } = prefixed(field.selectionSet, `${number}_`);
    // This field shows that the namespace is included even if no field in it is. A subscription must have exactly one
    // root field (GraphQL, section 5.2.4.1).
    const isThere: FieldNode = { ...TYPENAME_FIELD, alias: nameNode(number) };
    return conditional(field.directives, isSubscription ? selections : [isThere, ...selections]);
  };
  const unwrapped = { ...operation, selectionSet: copies.mapped(operation.selectionSet, 'root_', rootType, atRoot) };
  const fragments = new Map([...fragmentsOf(document), ...copies.made.map((one) => [one.name.value, one] as const)]);
  const definitions = [unwrapped, ...usedFragments(unwrapped, fragments)];
  return { document: { ...document, definitions }, operation: unwrapped, keys };
}

type MappedField = (node: FieldNode) => readonly SelectionNode[];

/** Copies fragments and changes their own fields. Each fragment is copied once, however often it is spread. */
class FragmentCopies {
  readonly made: FragmentDefinitionNode[] = [];
  readonly #fragments: Fragments;
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
    this.#taken = new Set(this.#fragments.keys());
  }

  /** @param rootType the type condition of copied fragments. If set, inline fragments lose their type condition. */
  mapped(set: SelectionSetNode, prefix: string, rootType: string | undefined, field: MappedField): SelectionSetNode {
    const selections = set.selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return field(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const inner = this.mapped(selection.selectionSet, prefix, rootType, field);
        const { typeCondition, ...rest } = selection;
        return [{ ...(rootType === undefined ? selection : rest), selectionSet: inner }];
      }
      const name = this.#copyOf(selection.name.value, prefix, rootType, field);
      return [{ ...selection, name: nameNode(name) }];
    });
    return { kind: Kind.SELECTION_SET, selections };
  }

  #copyOf(name: string, prefix: string, rootType: string | undefined, field: MappedField): string {
    const known = this.#names.get(prefix + name);
    const fragment = this.#fragments.get(name);
    if (known !== undefined || !fragment) return known ?? name;
    let copied = prefix + name;
    while (this.#taken.has(copied)) copied += '_';
    this.#taken.add(copied);
    this.#names.set(prefix + name, copied);
    const typeCondition =
      rootType === undefined ? fragment.typeCondition : ({ kind: Kind.NAMED_TYPE, name: nameNode(rootType) } as const);
    const selectionSet = this.mapped(fragment.selectionSet, prefix, rootType, field);
    this.made.push({ ...fragment, name: nameNode(copied), typeCondition, selectionSet });
    return copied;
  }
}

function conditional(
  directives: readonly DirectiveNode[] | undefined,
  selections: readonly SelectionNode[],
): readonly SelectionNode[] {
  if (!directives || directives.length === 0) return selections;
  return [{ kind: Kind.INLINE_FRAGMENT, directives, selectionSet: { kind: Kind.SELECTION_SET, selections } }];
}

function keysOf(fields: readonly FieldNode[]): TypeNameKeys {
  return [...new Set(fields.map(responseKey))];
}

export function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

function fieldNamed(name: string): FieldNode {
  return { kind: Kind.FIELD, name: nameNode(name) };
}

function aliased(node: FieldNode, prefix: string): FieldNode {
  return { ...node, alias: nameNode(prefix + responseKey(node)) };
}

/** The fragments that an operation spreads, directly or through other fragments. */
function usedFragments(operation: OperationDefinitionNode, fragments: Fragments): readonly FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name: { value } }) => {
        const fragment = fragments.get(value);
        if (!fragment || used.has(value)) return;
        used.set(value, fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return [...used.values()];
}
