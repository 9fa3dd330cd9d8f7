import type { FlattenNodePathSegment, PlanNode } from '@graphql-hive/router-query-planner';
import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import { fragmentNode, nameNode, TYPENAME_FIELD } from '../../syntax/index.ts';
import { PlannerStopped, UnplannableOperation } from '../errors.ts';
import { ENTITY_SERVICE, entityRoot, entityTypeOf } from './entity-roots.ts';
import { type EntityPath, openOperation, responseKey, rootName } from './fetches/index.ts';
import { isKeptFromPlanner, unplannable } from './planner.ts';

/** The planners of the parts of an operation. */
export interface SplitScope {
  readonly types: SupergraphTypes;
  /** @throws UnplannableOperation */
  plan(operation: OperationDefinitionNode): PlanNode | undefined;
  /** The same where entities have root fields, see `withEntityRoots`. */
  planEntities(operation: OperationDefinitionNode): PlanNode | undefined;
}

/**
 * Plans an operation, in parts where the planner fails: it finds no plan for a field with `@requires` on an object below a
 * fetched entity. Such fields are removed and planned as those of entities with known keys; their fetches follow those of
 * the rest, which returns the keys.
 * @throws UnplannableOperation
 */
export function planInParts(operation: OperationDefinitionNode, scope: SplitScope): PlanNode | undefined {
  try {
    return planOrSplit(operation, scope.plan, false, scope);
  } catch (error) {
    // What answers in the place of a plan fails at fields of interface objects or returns null.
    if (error instanceof UnplannableOperation && scope.types.hasInterfaceObjects && isKeptFromPlanner(error))
      throw unplannable('an operation that the planner fails at fatally, in a supergraph with interface objects');
    throw error;
  }
}

/** @param areEntities whether the root fields are those of entities */
function planOrSplit(
  operation: OperationDefinitionNode,
  plan: SplitScope['plan'],
  areEntities: boolean,
  scope: SplitScope,
): PlanNode | undefined {
  try {
    return plan(operation);
  } catch (error) {
    if (!(error instanceof UnplannableOperation && error.isPlannersFault)) throw error;
    const found = cut(operation, areEntities, undefined, scope.types);
    if (found.cuts.size === 0) throw error;
    try {
      return planCut(operation, plan, found.cuts, areEntities, scope);
    } catch (other) {
      // The operation is stitched for the planner's fault, whatever its parts fail at.
      throw other instanceof UnplannableOperation && !(other instanceof PlannerStopped) ? error : other;
    }
  }
}

/** Plans an operation in two parts: without the fields that have been found, and these fields. */
function planCut(
  operation: OperationDefinitionNode,
  plan: SplitScope['plan'],
  found: Cuts,
  areEntities: boolean,
  scope: SplitScope,
): PlanNode | undefined {
  const { cuts, rest } = cut(operation, areEntities, found, scope.types);
  const below = planOrSplit(entitiesOf(cuts, operation), scope.planEntities, true, scope);
  const keys = below ? keySelections(below) : new Map<string, SelectionSetNode>();
  const base = plan(withKeys(rest, keys));
  const places = new Map([...cuts.values()].map(({ mark, path }) => [mark, path]));
  const moved = below && movedTo(withOwnAliases(below), places);
  const nodes = [base, moved].filter((node) => node !== undefined);
  return nodes.length > 1 ? { kind: 'Sequence', nodes } : nodes[0];
}

/** Fields that were removed at the same path, all of the same object type. */
interface Cut {
  /** The placeholder for them until their keys are known. */
  readonly mark: string;
  readonly type: string;
  readonly path: EntityPath;
  readonly fields: FieldNode[];
}

/** By path and type. */
type Cuts = ReadonlyMap<string, Cut>;

/**
 * Removes the fields with `@requires`.
 * @param known the paths of such fields, where they have been searched: the fields that they require are removed with them,
 * since a client may select these with other arguments, for which the planner uses other response keys
 */
function cut(
  operation: OperationDefinitionNode,
  areEntities: boolean,
  known: Cuts | undefined,
  types: SupergraphTypes,
): { rest: OperationDefinitionNode; cuts: Cuts } {
  const cuts = new Map<string, Cut>();
  const isTaken = (type: string, name: string, place: string) =>
    types.requires(type, name) || (known?.has(place) === true && types.isRequired(type, name));
  const take = (type: string, path: EntityPath, place: string, field: FieldNode): FieldNode => {
    const found = cuts.get(place) ?? { mark: `${MARK}${cuts.size}`, type, path, fields: [] };
    cuts.set(place, found);
    found.fields.push(field);
    return { kind: Kind.FIELD, name: nameNode(found.mark) };
  };
  const cutField = (field: FieldNode, type: string, at: ObjectPlace, depth: number): readonly SelectionNode[] => {
    const name = field.name.value;
    const path = at.condition === undefined ? at.path : [...at.path, { TypeCondition: [at.condition] }];
    const place = JSON.stringify([path, type]);
    // Objects at the root come from the fetches that everything starts with.
    if (depth > 1) {
      if (isTaken(type, name, place)) return [take(type, path, place, field)];
      const members = types.isAbstract(type) ? types.objectsOf(type) : [];
      if (members.some((member) => types.requires(member, name) || types.isRequired(member, name)))
        return members.flatMap((member) => cutAll([fragmentNode(member, [field])], type, at, depth));
    }
    const own = areEntities && depth === 0 ? entityTypeOf(name) : types.fieldType(type, name);
    if (!field.selectionSet || own === undefined) return [field];
    const lists = Array.from({ length: types.listDepth(type, name) }, () => '@' as const);
    const below = { path: [...path, { Field: responseKey(field) }, ...lists], condition: undefined };
    return [{ ...field, selectionSet: setOf(cutAll(field.selectionSet.selections, own, below, depth + 1)) }];
  };
  const cutAll = (
    selections: readonly SelectionNode[],
    type: string,
    at: ObjectPlace,
    depth: number,
  ): readonly SelectionNode[] =>
    selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection];
      if (selection.kind === Kind.FIELD) return cutField(selection, type, at, depth);
      const named = selection.typeCondition?.name.value ?? type;
      // An object type is not made wider by a condition.
      const condition = types.isAbstract(type) ? named : type;
      const narrowed = condition === type ? at : { path: at.path, condition };
      const below = cutAll(selection.selectionSet.selections, condition, narrowed, depth);
      return [{ ...selection, selectionSet: setOf(below) }];
    });
  const root: ObjectPlace = { path: [], condition: undefined };
  const selections = cutAll(operation.selectionSet.selections, rootName(operation.operation), root, 0);
  return { rest: { ...operation, selectionSet: setOf(selections) }, cuts };
}

/** Where objects are. */
interface ObjectPlace {
  readonly path: EntityPath;
  /** The innermost type condition, which is that of a type that satisfies those around it. */
  readonly condition: string | undefined;
}

const MARK = 'portico_cut_';

/** The operation that selects the removed fields. */
function entitiesOf(cuts: Cuts, { variableDefinitions, name }: OperationDefinitionNode) {
  const selectionSet = setOf(
    [...cuts.values()].map(
      ({ mark, type, fields }): FieldNode => ({
        kind: Kind.FIELD,
        alias: nameNode(mark),
        name: nameNode(entityRoot(type)),
        selectionSet: setOf(fields),
      }),
    ),
  );
  return withUsedVariables({
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    ...(name && { name }),
    variableDefinitions: variableDefinitions ?? [],
    selectionSet,
  });
}

/** The key fields that the plan selects of entities, by the marker of their position. */
function keySelections(node: PlanNode): Map<string, SelectionSetNode> {
  const found = new Map<string, SelectionSetNode>();
  const walk = (one: PlanNode): void => {
    if (one.kind === 'Sequence' || one.kind === 'Parallel') one.nodes.forEach(walk);
    if (one.kind !== 'Fetch' || one.serviceName !== ENTITY_SERVICE) return;
    for (const field of openOperation(one.operation).selections)
      if (field.kind === Kind.FIELD && field.selectionSet) found.set(responseKey(field), field.selectionSet);
  };
  walk(node);
  return found;
}

/** Selects the keys where fields were removed that need them. */
function withKeys(
  operation: OperationDefinitionNode,
  keys: ReadonlyMap<string, SelectionSetNode>,
): OperationDefinitionNode {
  const replaced = visit(operation, {
    SelectionSet: {
      leave: (set) => {
        if (!set.selections.some(isMark)) return undefined;
        const selections = set.selections.flatMap((one) => {
          if (!isMark(one)) return [one];
          return keys.get(responseKey(one))?.selections ?? [TYPENAME_FIELD];
        });
        return { ...set, selections };
      },
    },
  });
  return withUsedVariables(replaced);
}

function isMark(selection: SelectionNode): selection is FieldNode {
  return selection.kind === Kind.FIELD && selection.name.value.startsWith(MARK);
}

/** Makes the planner's own aliases differ from those of the other part: both may be of the same object. */
function withOwnAliases(node: PlanNode): PlanNode {
  return JSON.parse(JSON.stringify(node).replaceAll('_internal_qp_alias_', '_internal_qp_alias_p'));
}

/** The plan with the root fields of entities moved to the paths of these entities; undefined where nothing is left of it. */
function movedTo(node: PlanNode, places: ReadonlyMap<string, EntityPath>): PlanNode | undefined {
  const moved = (path: readonly FlattenNodePathSegment[]): FlattenNodePathSegment[] => {
    const [root, ...rest] = path;
    const place = root !== undefined && root !== '@' && 'Field' in root ? places.get(root.Field) : undefined;
    if (!place) throw new UnplannableOperation('the plan leads to a place that is not known');
    return [...place, ...rest];
  };
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel': {
      const nodes = node.nodes.flatMap((one) => movedTo(one, places) ?? []);
      return nodes.length > 0 ? { ...node, nodes } : undefined;
    }
    case 'Flatten':
      return { ...node, path: moved(node.path) };
    case 'BatchFetch': {
      const aliases = node.entityBatch.aliases.map((alias) => ({ ...alias, paths: alias.paths.map(moved) }));
      return { ...node, entityBatch: { ...node.entityBatch, aliases } };
    }
    case 'Fetch':
      if (node.serviceName === ENTITY_SERVICE) return undefined;
      throw new UnplannableOperation('the plan has a root field that was not asked for');
    default:
      throw new UnplannableOperation(`the operation needs a plan that is not supported: ${node.kind}`);
  }
}

function withUsedVariables(operation: OperationDefinitionNode): OperationDefinitionNode {
  const used = new Set<string>();
  visit(operation.selectionSet, { Variable: ({ name }) => void used.add(name.value) });
  const kept = (operation.variableDefinitions ?? []).filter(({ variable }) => used.has(variable.name.value));
  return { ...operation, variableDefinitions: kept };
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}
