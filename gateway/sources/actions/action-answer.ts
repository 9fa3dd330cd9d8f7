import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import type { ActionOutcome } from './webhook/index.ts';

/** A selected field with the fields that are selected below it. */
export interface SelectedMember {
  /** The response key as JSON text with a colon. A comma comes first unless this is the first member. */
  readonly prefix: string;
  readonly key: string;
  readonly name: string;
  readonly node: FieldNode;
  /** The text of a constant: `__typename`, which does not depend on the webhook's response. */
  readonly constant: string | undefined;
  readonly members: readonly SelectedMember[] | undefined;
  readonly type: GraphQLOutputType | undefined;
}

/** A scalar that accepts any value; clients never see it. */
export const ANYTHING = 'portico_Anything';

/**
 * Collects the members of an object's selections. Returns undefined if variables decide what is selected, and if only
 * graphql-js can complete the values: those of interfaces, unions, checked scalars and fields with arguments.
 *
 * @param isRoot whether the type is a root type, whose fields are actions.
 */
export function selectedMembers(
  sets: readonly (readonly SelectionNode[])[],
  type: GraphQLObjectType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  isRoot = true,
): readonly SelectedMember[] | undefined {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  // The type is an object, so type conditions of fragments always hold.
  const collect = (selections: readonly SelectionNode[]): boolean =>
    selections.every((selection) => {
      if ((selection.directives ?? []).length > 0) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT) return collect(selection.selectionSet.selections);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const { value } = selection.name;
        // Following each spread once avoids exponential work when fragments spread each other several times.
        if (spread.has(value)) return true;
        spread.add(value);
        return collect(fragments.get(value)?.selectionSet.selections ?? []);
      }
      const key = (selection.alias ?? selection.name).value;
      const nodes = fields.get(key);
      if (nodes) nodes.push(selection);
      else fields.set(key, [selection]);
      return true;
    });
  if (!sets.every(collect)) return undefined;
  const members: SelectedMember[] = [];
  for (const [key, nodes] of fields) {
    const [node] = nodes;
    const name = node?.name.value ?? '';
    const field = name === '__typename' ? undefined : type.getFields()[name];
    const own = field?.type;
    if (!node || (name !== '__typename' && !own)) return undefined;
    const object = objectOf(own);
    if (field && !isRoot && (field.args.length > 0 || (!object && getNamedType(field.type).name !== ANYTHING)))
      return undefined;
    const below = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet.selections] : []));
    const inner = object && selectedMembers(below, object, fragments, false);
    if (object && !inner) return undefined;
    members.push({
      prefix: `${members.length === 0 ? '' : ','}${JSON.stringify(key)}:`,
      key,
      name,
      node,
      constant: own ? undefined : JSON.stringify(type.name),
      members: inner,
      type: own,
    });
  }
  return members;
}

function objectOf(type: GraphQLOutputType | undefined): GraphQLObjectType | undefined {
  if (isNonNullType(type) || isListType(type)) return objectOf(type.ofType as GraphQLOutputType);
  return isObjectType(type) ? type : undefined;
}

/** Writes the results of actions as the JSON text of `data`. Returns undefined if a result does not fit its type. */
export function writeAnswers(
  members: readonly SelectedMember[],
  outcomes: ReadonlyMap<string, ActionOutcome>,
): string | undefined {
  let text = '{';
  for (const { prefix, key, constant, type, members: inner } of members) {
    const outcome = constant === undefined ? outcomes.get(key) : undefined;
    if (outcome && 'error' in outcome) return undefined;
    const written = constant ?? writeActionValue(outcome?.value, type, inner);
    if (written === undefined) return undefined;
    text += prefix + written;
  }
  return `${text}}`;
}

function writeActionValue(
  value: unknown,
  type: GraphQLOutputType | undefined,
  members: readonly SelectedMember[] | undefined,
): string | undefined {
  if (isNonNullType(type))
    return value === null || value === undefined ? undefined : writeActionValue(value, type.ofType, members);
  if (value === null || value === undefined) return 'null';
  if (!members) return JSON.stringify(value);
  if (isListType(type)) {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => writeActionValue(item, type.ofType as GraphQLOutputType, members));
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  return writeObject(value as Readonly<Record<string, unknown>>, members);
}

function writeObject(value: Readonly<Record<string, unknown>>, members: readonly SelectedMember[]): string | undefined {
  let text = '{';
  for (const { prefix, name, constant, type, members: inner } of members) {
    const written = constant ?? writeActionValue(Object.hasOwn(value, name) ? value[name] : null, type, inner);
    if (written === undefined) return undefined;
    text += prefix + written;
  }
  return `${text}}`;
}
