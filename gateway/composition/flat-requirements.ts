import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  Kind,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
  visit,
} from 'graphql';
import { parseFieldSet } from '../supergraph/index.ts';
import { fragmentNode, innermostTypeName, type TypeWithFields } from '../syntax/index.ts';

/**
 * Replaces conditions on interfaces in `@requires` by conditions on the types that implement them in the subgraph:
 * `@theguild/federation-composition` 0.27 does not find the fields below the former and rejects the subgraph.
 *
 * @returns the SDL itself where there are none.
 */
export function withFlatRequirements(typeDefs: DocumentNode): DocumentNode {
  if (!typeDefs.definitions.some(hasConditions)) return typeDefs;
  const types = readTypeMembers(typeDefs);
  let isChanged = false;
  const flat = (directive: ConstDirectiveNode, type: string): ConstDirectiveNode => {
    const required = requiresArgumentOf(directive);
    const selections = required === undefined ? undefined : readFieldSet(required);
    if (!selections || !hasWideCondition(selections, types)) return directive;
    isChanged = true;
    const value = flattened(selections, type, types)
      .map((one) => stripIgnoredCharacters(print(one)))
      .join(' ');
    const fields = { kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: 'fields' } } as const;
    return { ...directive, arguments: [{ ...fields, value: { kind: Kind.STRING, value } }] };
  };
  const ofType = <Node extends TypeWithFields>(node: Node): Node => ({
    ...node,
    fields: (node.fields ?? []).map((field) => ({
      ...field,
      directives: (field.directives ?? []).map((directive) => flat(directive, node.name.value)),
    })),
  });
  const changed = visit(typeDefs, {
    ObjectTypeDefinition: ofType,
    ObjectTypeExtension: ofType,
    InterfaceTypeDefinition: ofType,
    InterfaceTypeExtension: ofType,
  });
  return isChanged ? changed : typeDefs;
}

/** Whether a field of a type requires something under a condition. */
function hasConditions(definition: DefinitionNode): boolean {
  const fields: readonly { readonly directives?: readonly ConstDirectiveNode[] | undefined }[] =
    'fields' in definition ? (definition.fields ?? []) : [];
  return fields.some(({ directives = [] }) =>
    directives.some((directive) => requiresArgumentOf(directive)?.includes('...') ?? false),
  );
}

/** The field set of `@requires`. */
function requiresArgumentOf(directive: ConstDirectiveNode): string | undefined {
  if (directive.name.value.replace(/^federation__/, '') !== 'requires') return undefined;
  const given = directive.arguments?.find(({ name }) => name.value === 'fields')?.value;
  return given?.kind === Kind.STRING ? given.value : undefined;
}

/** The types of a subgraph's SDL. */
interface Types {
  /** The object types of each interface or union. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
  readonly interfaces: ReadonlySet<string>;
  /** The named type of `Type.field`. */
  readonly fields: ReadonlyMap<string, string>;
}

function readTypeMembers(typeDefs: DocumentNode): Types {
  const members = new Map<string, Set<string>>();
  const interfaces = new Set<string>();
  const fields = new Map<string, string>();
  const add = (type: string, member: string) => members.set(type, (members.get(type) ?? new Set()).add(member));
  for (const type of typeDefs.definitions)
    switch (type.kind) {
      case Kind.UNION_TYPE_DEFINITION:
      case Kind.UNION_TYPE_EXTENSION:
        for (const member of type.types ?? []) add(type.name.value, member.name.value);
        break;
      case Kind.INTERFACE_TYPE_DEFINITION:
      case Kind.INTERFACE_TYPE_EXTENSION:
      case Kind.OBJECT_TYPE_DEFINITION:
      case Kind.OBJECT_TYPE_EXTENSION: {
        const isObject = type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.OBJECT_TYPE_EXTENSION;
        if (isObject) for (const one of type.interfaces ?? []) add(one.name.value, type.name.value);
        else interfaces.add(type.name.value);
        for (const field of type.fields ?? [])
          fields.set(`${type.name.value}.${field.name.value}`, innermostTypeName(field.type));
      }
    }
  return { members, interfaces, fields };
}

function hasWideCondition(selections: readonly SelectionNode[], types: Types): boolean {
  return selections.some((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return false;
    const condition = selection.kind === Kind.INLINE_FRAGMENT ? selection.typeCondition?.name.value : undefined;
    const isWide = condition !== undefined && types.interfaces.has(condition) && types.members.has(condition);
    return isWide || hasWideCondition(selection.selectionSet?.selections ?? [], types);
  });
}

/** @param type of the object that is selected of; undefined where the SDL does not say it. */
function flattened(
  selections: readonly SelectionNode[],
  type: string | undefined,
  types: Types,
): readonly SelectionNode[] {
  return selections.flatMap((selection): readonly SelectionNode[] => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection];
    if (selection.kind === Kind.FIELD) {
      if (!selection.selectionSet) return [selection];
      const own = type && types.fields.get(`${type}.${selection.name.value}`);
      const below = flattened(selection.selectionSet.selections, own, types);
      if (below.length === 0) return [selection];
      return [{ ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: below } }];
    }
    const inner = selection.selectionSet.selections;
    const condition = selection.typeCondition?.name.value;
    if (condition === undefined || condition === type) return flattened(inner, type, types);
    const possible = type === undefined ? undefined : types.members.get(type);
    // One object type is of the other type, or it is not.
    if (type !== undefined && possible === undefined && !types.interfaces.has(type))
      return types.members.get(condition)?.has(type) ? flattened(inner, type, types) : [];
    const members = types.members.get(condition);
    if (!members || !types.interfaces.has(condition))
      return [fragmentNode(condition, flattened(inner, condition, types))];
    return [...members]
      .filter((member) => possible === undefined || possible.has(member))
      .flatMap((member) => {
        const below = flattened(inner, member, types);
        return below.length > 0 ? [fragmentNode(member, below)] : [];
      });
  });
}

/** Undefined for an invalid field set, which the composer reports. */
function readFieldSet(fields: string): readonly SelectionNode[] | undefined {
  try {
    return parseFieldSet(fields);
  } catch {
    return undefined;
  }
}
