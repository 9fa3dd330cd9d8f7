import {
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { UnplannableOperation } from '../errors.ts';
import { type ClientOperation, type Conditions, isIncluded } from './client-operation.ts';
import { checkCost } from './planning-cost.ts';

/** The most selections of an operation with its fragments inlined. */
const MOST_SELECTIONS = 20_000;

/**
 * An operation for the planner: the given root fields, what `@skip` and `@include` leave of them, and safe
 * names. Without conditions in it, the planner can merge every fetch that goes to the same subgraph. Fragments that no
 * type satisfies are left out, since the planner would leave out the field that they are selected on. Fields of interfaces
 * that some type requires something for are selected type by type, since the planner would require nothing. Where there are
 * interface objects, the type of an interface's objects is selected beside fragments on other types: the planner leaves out
 * those of which nothing but fields of the interface object is selected, and the type that the response depends on.
 * @throws UnplannableOperation when it is too large
 */
export function plannedOperation(
  operation: ClientOperation,
  fields: readonly FieldNode[],
  conditions: Conditions,
  schema: GraphQLSchema,
  types: SupergraphTypes,
): OperationDefinitionNode {
  let left = MOST_SELECTIONS;
  const reduce = (set: SelectionSetNode, type: GraphQLNamedType | undefined): SelectionSetNode => {
    const selections = reduceAll(set.selections, type, possibleTypes(type, schema), new Set());
    // Nothing is left of it, but the object itself is still asked for.
    if (selections.length === 0) return { ...set, selections: [PLACEHOLDER_FIELD] };
    const needsType = types.hasInterfaceObjects && isInterfaceType(type) && isNarrowed(selections, type.name);
    return { ...set, selections: needsType ? [PLACEHOLDER_FIELD, ...selections] : selections };
  };
  const reduceAll = (
    selections: readonly SelectionNode[],
    type: GraphQLNamedType | undefined,
    possible: readonly GraphQLObjectType[],
    spread: Set<string>,
  ): SelectionNode[] =>
    selections.flatMap((selection): SelectionNode[] => {
      if (!isIncluded(selection.directives, conditions)) return [];
      if (left-- <= 0) throw new UnplannableOperation('the operation is too large to be planned');
      if (selection.kind === Kind.FIELD) return typeByType(reduceField(selection, type), type, possible);
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : operation.fragments.get(selection.name.value);
      if (!fragment) return [];
      const { typeCondition, selectionSet } = fragment;
      const condition = typeCondition ? schema.getType(typeCondition.name.value) : type;
      const narrowed = possibleTypes(condition, schema).filter((one) => possible.includes(one));
      if (narrowed.length === 0 && possible.length > 0) return [];
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // Spread again for the same types, it adds nothing.
        const place = [selection.name.value, ...narrowed].join(' ');
        if (spread.has(place)) return [];
        spread.add(place);
      }
      const below = reduceAll(selectionSet.selections, condition, narrowed, spread);
      if (below.length === 0) return [];
      return [
        {
          kind: Kind.INLINE_FRAGMENT,
          ...(typeCondition ? { typeCondition } : {}),
          selectionSet: { kind: Kind.SELECTION_SET, selections: below },
        },
      ];
    });
  const reduceField = (field: FieldNode, parent: GraphQLNamedType | undefined): FieldNode => {
    const key = operation.responseKey(field);
    const definition =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[field.name.value] : undefined;
    return {
      kind: Kind.FIELD,
      name: field.name,
      ...(key === field.name.value ? {} : { alias: { kind: Kind.NAME, value: key } }),
      ...(field.arguments ? { arguments: field.arguments } : {}),
      ...(field.selectionSet
        ? { selectionSet: reduce(field.selectionSet, definition && getNamedType(definition.type)) }
        : {}),
    };
  };
  const typeByType = (
    field: FieldNode,
    type: GraphQLNamedType | undefined,
    possible: readonly GraphQLObjectType[],
  ): SelectionNode[] => {
    const name = field.name.value;
    if (!isInterfaceType(type) || !possible.some((one) => types.requires(one.name, name))) return [field];
    return possible.map((one) => ({
      kind: Kind.INLINE_FRAGMENT,
      typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: one.name } },
      selectionSet: { kind: Kind.SELECTION_SET, selections: [field] },
    }));
  };
  const root = schema.getRootType(operation.definition.operation) ?? undefined;
  const { name, variableDefinitions } = operation.definition;
  const selectionSet: SelectionSetNode = {
    kind: Kind.SELECTION_SET,
    selections: fields.map((field) => reduceField(field, root)),
  };
  checkCost(selectionSet, root?.name ?? '', types);
  const used = variablesUsedIn(selectionSet);
  const definition: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: operation.definition.operation,
    ...(name ? { name } : {}),
    variableDefinitions: (variableDefinitions ?? []).filter(({ variable }) => used.has(variable.name.value)),
    selectionSet,
  };
  return operation.clientVariables.size === 0 ? definition : renameVariables(definition, operation);
}

/** A placeholder for an object of which the client selects nothing; it is not a member of the response. */
export const PLACEHOLDER_FIELD: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** Whether fragments on other types than the interface itself are selected. The planner goes through the types for wider ones, too. */
function isNarrowed(selections: readonly SelectionNode[], type: string): boolean {
  return selections.some(
    (one) =>
      one.kind === Kind.INLINE_FRAGMENT &&
      ((one.typeCondition?.name.value ?? type) !== type || isNarrowed(one.selectionSet.selections, type)),
  );
}

function possibleTypes(type: GraphQLNamedType | undefined, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type];
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}

function variablesUsedIn(selectionSet: SelectionSetNode): Set<string> {
  const used = new Set<string>();
  visit(selectionSet, { Variable: ({ name }) => void used.add(name.value) });
  return used;
}

function renameVariables(definition: OperationDefinitionNode, operation: ClientOperation): OperationDefinitionNode {
  return visit(definition, {
    Variable: (variable) => ({
      ...variable,
      name: { ...variable.name, value: operation.plannedVariable(variable.name.value) },
    }),
  });
}
