import { type FieldNode, Kind, type SelectionNode } from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';

export function responseKey({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** A selected field and the type of objects that it is selected on. Undefined if no fragment names the type. */
export interface TypedField {
  readonly field: FieldNode;
  readonly type: string | undefined;
}

/** All fields of selections and their inline fragments, with the type that has them. */
export function fieldsOf(selections: readonly SelectionNode[], type: string | undefined): TypedField[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [{ field: selection, type }];
    if (selection.kind !== Kind.INLINE_FRAGMENT) return [];
    return fieldsOf(selection.selectionSet.selections, selection.typeCondition?.name.value ?? type);
  });
}

/** The type of a field in a service, as SDL. */
export function fieldTypeIn(types: SupergraphTypes, service: string, parent: string, field: string) {
  const model = types.type(parent);
  return model?.in(service)?.field(field)?.type ?? model?.fieldType(field);
}
