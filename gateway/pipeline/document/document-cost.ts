import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql';
import { fragmentsOf, isIntrospectionField } from '../../graphql/syntax/index.ts';
import { repetition } from './repetition.ts';

/**
 * The cost of a document. Each measure is that of its most expensive operation, and fragments count wherever they are
 * spread. Introspection counts for neither depth nor nodes, because the introspection query of tools is not an attack.
 */
export interface DocumentCost {
  /** The number of nested fields with selection sets, as Hasura counts: `{ viewer { name } }` is 1. */
  readonly depth: number;
  /** The number of fields with a selection set, as Hasura counts. */
  readonly nodes: number;
  readonly aliases: number;
  /** The number of root fields `__schema` and `__type`. */
  readonly introspections: number;
  /** The number of directives in the whole document, as written. */
  readonly directives: number;
  /** The number of pairs of fields in the whole document that validation has to compare. */
  readonly repetition: number;
}

type SelectionCost = Omit<DocumentCost, 'directives' | 'repetition'>;

const NO_COST: SelectionCost = { depth: 0, nodes: 0, aliases: 0, introspections: 0 };

/** Measures a document in time proportional to its text, however often fragments are spread. */
export function documentCost(document: DocumentNode): DocumentCost {
  const fragments = fragmentsOf(document);
  const known = new Map<string, SelectionCost>();

  function costOf(selections: SelectionSetNode | undefined): SelectionCost {
    return (selections?.selections ?? []).reduce((sum, selection) => addCosts(sum, costOfOne(selection)), NO_COST);
  }

  function costOfOne(selection: SelectionNode): SelectionCost {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return costOfFragment(selection.name.value);
    const inner = costOf(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return inner;
    const aliases = inner.aliases + (selection.alias ? 1 : 0);
    if (isIntrospectionField(selection.name.value)) return { ...NO_COST, aliases, introspections: 1 };
    if (!selection.selectionSet) return { ...NO_COST, aliases };
    return { ...inner, depth: inner.depth + 1, nodes: inner.nodes + 1, aliases };
  }

  function costOfFragment(name: string): SelectionCost {
    const before = known.get(name);
    if (before) return before;
    // A fragment that spreads itself ends here. Validation rejects it.
    known.set(name, NO_COST);
    const cost = costOf(fragments.get(name)?.selectionSet);
    known.set(name, cost);
    return cost;
  }

  let most = NO_COST;
  let directives = 0;
  for (const definition of document.definitions) {
    directives += directiveCount(definition);
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const cost = costOf(definition.selectionSet);
    most = {
      depth: Math.max(most.depth, cost.depth),
      nodes: Math.max(most.nodes, cost.nodes),
      aliases: Math.max(most.aliases, cost.aliases),
      introspections: Math.max(most.introspections, cost.introspections),
    };
  }
  return { ...most, directives, repetition: repetition(document) };
}

function addCosts(one: SelectionCost, two: SelectionCost): SelectionCost {
  return {
    depth: Math.max(one.depth, two.depth),
    nodes: one.nodes + two.nodes,
    aliases: one.aliases + two.aliases,
    introspections: one.introspections + two.introspections,
  };
}

interface MayHaveDirectives {
  readonly directives?: readonly unknown[] | undefined;
  readonly selectionSet?: SelectionSetNode | undefined;
  readonly variableDefinitions?: readonly MayHaveDirectives[] | undefined;
}

function directiveCount(node: MayHaveDirectives): number {
  const inside = [...(node.variableDefinitions ?? []), ...(node.selectionSet?.selections ?? [])];
  return inside.reduce((sum, part) => sum + directiveCount(part), node.directives?.length ?? 0);
}
