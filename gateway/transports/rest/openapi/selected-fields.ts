import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../../../graphql/syntax/index.ts';

/** A part of an operation, and whether it is always present, independent of variables. */
export interface Certain<T> {
  readonly node: T;
  readonly always: boolean;
}

/**
 * Returns the selected fields of an object type by response key, with one entry for each time a key is selected. Fragments that
 * apply to the type are included. Fields that `@skip` and `@include` always remove are left out.
 */
export function fieldsOfAnswer(
  selections: readonly Certain<SelectionSetNode>[],
  type: GraphQLObjectType,
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<string, readonly Certain<FieldNode>[]> {
  const fields = new Map<string, Certain<FieldNode>[]>();
  const fragments = fragmentsOf(document);

  const collect = (set: SelectionSetNode, always: boolean) => {
    for (const selection of set.selections) {
      const presence = presenceOf(selection);
      if (presence === 'never') continue;
      const certain = always && presence === 'always';
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        fields.set(key, [...(fields.get(key) ?? []), { node: selection, always: certain }]);
      } else {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment && applies(fragment.typeCondition, type, schema)) collect(fragment.selectionSet, certain);
      }
    }
  };
  for (const { node, always } of selections) collect(node, always);
  return fields;
}

function applies(condition: NamedTypeNode | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (!condition) return true;
  const named = schema.getType(condition.name.value);
  return named === type || (isAbstractType(named) && schema.isSubType(named, type));
}

function presenceOf(selection: SelectionNode): 'always' | 'sometimes' | 'never' {
  let presence: 'always' | 'sometimes' = 'always';
  for (const directive of selection.directives ?? []) {
    const name = directive.name.value;
    if (name !== 'skip' && name !== 'include') continue;
    const condition = directive.arguments?.[0]?.value;
    if (condition?.kind !== Kind.BOOLEAN) presence = 'sometimes';
    else if (condition.value === (name === 'skip')) return 'never';
  }
  return presence;
}
