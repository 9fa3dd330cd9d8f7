import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { OperationToPrepare } from '../sources/index.ts';
import { isCondition, isLeft } from './root-fields.ts';
import { fragmentsOf } from './sub-operation.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Documents that are kept for one operation at most: it may have many conditions. */
const MAX_KEPT = 16;

/**
 * What stitching executes of an operation: the fields that `@skip` and `@include` leave, in fragments only where these
 * are for some of the possible types. Stitching would skip a field wherever it stands once it is skipped anywhere, and
 * lose objects of which nothing is asked for outside of fragments.
 *
 * @param schema the one that the operation is valid against.
 */
export function documentsAtRun(
  { document, operation }: OperationToPrepare,
  schema: GraphQLSchema,
): (variables: Variables) => DocumentNode {
  const conditions = conditionVariables(document);
  const kept = new Map<string, DocumentNode>();
  return (variables) => {
    const key = conditions.map((name) => (Object.hasOwn(variables, name) ? String(variables[name]) : '')).join(' ');
    const known = kept.get(key);
    if (known) return known;
    if (kept.size >= MAX_KEPT) kept.clear();
    const made = documentAtRun({ document, operation }, schema, variables);
    kept.set(key, made);
    return made;
  };
}

function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: (node) => {
      const condition = isCondition(node) ? node.arguments?.[0]?.value : undefined;
      if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value);
    },
  });
  return [...names];
}

function documentAtRun(
  { document, operation }: OperationToPrepare,
  schema: GraphQLSchema,
  variables: Variables,
): DocumentNode {
  const fragments = fragmentsOf(document);

  function whole(set: SelectionSetNode, parent: GraphQLNamedType | undefined): SelectionSetNode {
    const left = leftOf(set, parent, [], new Set());
    return { ...set, selections: left.length > 0 ? left : [NOTHING] };
  }

  /** @param within the type conditions that hold here. @param seen fragments, each with where it stood. */
  function leftOf(
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    within: readonly string[],
    seen: Set<string>,
  ): readonly SelectionNode[] {
    return selections.flatMap((selection): readonly SelectionNode[] => {
      if (!isLeft(selection, operation, variables)) return [];
      if (selection.kind === Kind.FIELD) return [field(selection, parent)];
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const place = [selection.name.value, parent, ...within].join(' ');
        if (seen.has(place)) return [];
        seen.add(place);
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) return [];
      const { typeCondition, selectionSet } = fragment;
      const type = typeCondition ? schema.getType(typeCondition.name.value) : parent;
      if (!typeCondition || type === parent) return leftOf(selectionSet, parent, within, seen);
      const left = leftOf(selectionSet, type, [...new Set([...within, typeCondition.name.value])].sort(), seen);
      if (left.length === 0) return [];
      return [{ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: { ...selectionSet, selections: left } }];
    });
  }

  function field(node: FieldNode, parent: GraphQLNamedType | undefined): FieldNode {
    const directives = node.directives?.filter((directive) => !isCondition(directive)) ?? [];
    if (!node.selectionSet) return { ...node, directives };
    return { ...node, directives, selectionSet: whole(node.selectionSet, typeOf(parent, node.name.value)) };
  }

  const root = schema.getRootType(operation.operation) ?? undefined;
  const left = { ...operation, selectionSet: whole(operation.selectionSet, root) };
  return { kind: Kind.DOCUMENT, definitions: [left] };
}

function typeOf(parent: GraphQLNamedType | undefined, name: string): GraphQLNamedType | undefined {
  const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
  return getNamedType(fields[name]?.type);
}

/** Braces have to hold something: a field that is always skipped. */
const NOTHING: FieldNode = {
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__typename' },
  directives: [
    {
      kind: Kind.DIRECTIVE,
      name: { kind: Kind.NAME, value: 'skip' },
      arguments: [
        {
          kind: Kind.ARGUMENT,
          name: { kind: Kind.NAME, value: 'if' },
          value: { kind: Kind.BOOLEAN, value: true },
        },
      ],
    },
  ],
};
