import type {
  BatchFetchNode,
  FetchNode,
  FlattenNodePathSegment,
  InputRewrite,
  OutputRewrite,
  PlanNode,
  RequiresSelection,
} from '@graphql-hive/router-query-planner';
import {
  type FragmentDefinitionNode,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '../../../syntax/index.ts';
import { UnplannableOperation } from '../../errors.ts';

export type EntityPath = readonly FlattenNodePathSegment[];

/** The response keys along a path. */
export function fieldKeysOf(path: EntityPath): readonly string[] {
  return path.flatMap((segment) => (segment !== '@' && 'Field' in segment ? [segment.Field] : []));
}

/** A fetch of a plan with its fragments inlined, so that it can be changed. */
interface OpenedFetch {
  readonly service: string;
  readonly selections: readonly SelectionNode[];
  /** The client's variables that it uses, under their planned names. */
  readonly variables: readonly VariableDefinitionNode[];
  readonly outputRewrites: readonly OutputRewrite[];
  /** Where in the plan it stands. */
  readonly place: PlanPosition;
}

/** A fetch of root fields. */
export interface RootFetch extends OpenedFetch {
  readonly kind: 'root';
  /** As the planner gave it; `operation` no longer says what `selections` says once these are changed. */
  readonly node: FetchNode;
}

/** A fetch of the entities at some paths, not of root fields. */
export interface EntityFetch extends OpenedFetch {
  readonly kind: 'entities';
  readonly paths: readonly EntityPath[];
  readonly requires: readonly RequiresSelection[];
  readonly inputRewrites: readonly InputRewrite[];
}

export type Fetch = RootFetch | EntityFetch;

/** The nodes above a fetch, from the root of the plan, with the child of each that leads to it. */
type PlanPosition = readonly { readonly node: PlanNode; readonly child: number }[];

/** Whether the plan has a fetch done before another one. */
export function precedes(one: Fetch, other: Fetch): boolean {
  for (const [depth, { node, child }] of one.place.entries()) {
    const beside = other.place[depth];
    if (!beside || beside.node !== node) return false;
    if (beside.child !== child) return node.kind === 'Sequence' && child < beside.child;
  }
  return false;
}

/**
 * The fetches of a plan, in its order.
 * @throws UnplannableOperation for a node of a kind that the planner is not known to give
 */
export function fetchesOf(node: PlanNode, place: PlanPosition = []): Fetch[] {
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap((child, index) => fetchesOf(child, [...place, { node, child: index }]));
    case 'Fetch':
      return [rootFetch(node, place)];
    case 'Subscription':
      return [rootFetch(node.primary, place)];
    case 'Flatten': {
      const fetch = node.node;
      if (fetch.kind !== 'Fetch') throw unknown(fetch);
      const { service, selections, variables } = openedFetch(fetch);
      return [
        {
          kind: 'entities',
          service,
          selections: selectionsBelow(selections, '_entities'),
          variables,
          paths: [node.path],
          requires: fetch.requires ?? [],
          inputRewrites: fetch.inputRewrites ?? [],
          outputRewrites: fetch.outputRewrites ?? [],
          place,
        },
      ];
    }
    case 'BatchFetch': {
      const { service, selections, variables } = openedFetch(node);
      return node.entityBatch.aliases.map((alias) => ({
        kind: 'entities',
        service,
        selections: selectionsBelow(selections, alias.alias),
        variables,
        paths: alias.paths,
        requires: alias.requires,
        inputRewrites: alias.inputRewrites ?? [],
        outputRewrites: alias.outputRewrites ?? [],
        place,
      }));
    }
    default:
      throw unknown(node);
  }
}

function rootFetch(node: FetchNode, place: PlanPosition): RootFetch {
  return { kind: 'root', node, outputRewrites: node.outputRewrites ?? [], place, ...openedFetch(node) };
}

/** The name that the supergraph has for the type whose fields a fetch has at its root. */
export function rootName(kind: string | undefined): string {
  if (kind === 'mutation') return 'Mutation';
  return kind === 'subscription' ? 'Subscription' : 'Query';
}

export function unknown(node: PlanNode): UnplannableOperation {
  return new UnplannableOperation(`the operation needs a plan that is not supported: ${node.kind}`);
}

function openedFetch({ serviceName, operation }: FetchNode | BatchFetchNode) {
  const { selections, variableDefinitions } = openOperation(operation);
  return {
    service: serviceName,
    selections,
    variables: variableDefinitions.filter(
      ({ variable }) => !/^(representations|__batch_reps_\d+)$/.test(variable.name.value),
    ),
  };
}

/** The operation of a fetch with its fragments inlined. */
export function openOperation(text: string): {
  readonly selections: readonly SelectionNode[];
  readonly variableDefinitions: readonly VariableDefinitionNode[];
} {
  const document = parse(text, { noLocation: true });
  const fragments = fragmentsOf(document);
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!definition) throw new UnplannableOperation('the plan has a fetch without an operation');
  return {
    selections: openSpreads(definition.selectionSet, fragments).selections,
    variableDefinitions: definition.variableDefinitions ?? [],
  };
}

function openSpreads(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): SelectionSetNode {
  const selections = set.selections.map((selection): SelectionNode => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value);
      if (!fragment) throw new UnplannableOperation('the plan spreads a fragment that it does not define');
      const { typeCondition, selectionSet } = fragment;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: openSpreads(selectionSet, fragments) };
    }
    return selection.selectionSet
      ? { ...selection, selectionSet: openSpreads(selection.selectionSet, fragments) }
      : selection;
  });
  return { ...set, selections };
}

function selectionsBelow(selections: readonly SelectionNode[], key: string): readonly SelectionNode[] {
  const field = selections.find(
    (selection) => selection.kind === Kind.FIELD && (selection.alias ?? selection.name).value === key,
  );
  return field?.kind === Kind.FIELD ? (field.selectionSet?.selections ?? []) : [];
}
