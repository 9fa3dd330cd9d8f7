import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  stripIgnoredCharacters,
  visit,
} from 'graphql';
import type { RoleGraph } from '../graph/index.ts';
import type { Forward } from '../sources/index.ts';
import { type Document, rootFieldsOf } from './documents.ts';

/** How an operation is run. It is decided once for each operation of a cached document and each role's graph. */
export type Plan =
  /** One source answers all of it: it is sent as prepared text, and the answer is relayed. */
  | {
      readonly kind: 'forward';
      readonly forward: Forward;
      /** `"query":"…"` and `"operationName":"…"`, as they stand in the request's JSON. */
      readonly prepared: string;
      readonly variableNames: readonly string[];
    }
  /** The stitched schema is executed. */
  | { readonly kind: 'stitch' };

const STITCH: Plan = { kind: 'stitch' };

export function planOf(document: Document, operation: OperationDefinitionNode, graph: RoleGraph): Plan {
  const plans = document.plans.get(graph) ?? new Map<OperationDefinitionNode, Plan>();
  document.plans.set(graph, plans);
  const known = plans.get(operation);
  if (known) return known;
  const plan = decide(document.node, operation, graph);
  plans.set(operation, plan);
  return plan;
}

function decide(document: DocumentNode, operation: OperationDefinitionNode, graph: RoleGraph): Plan {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  const owners = new Set(
    rootFieldsOf(operation, fragments).map((field) => graph.subschemaOf(field.operation, field.name)),
  );
  // `__typename` and introspection have no owner: they are about the graph, not about a source.
  const [owner] = owners;
  if (owners.size !== 1 || !owner?.forward) return STITCH;
  const name = operation.name?.value;
  const query = stripIgnoredCharacters(print(withFragments(operation, fragments)));
  return {
    kind: 'forward',
    forward: owner.forward,
    prepared: `"query":${JSON.stringify(query)}${name === undefined ? '' : `,"operationName":${JSON.stringify(name)}`}`,
    variableNames: (operation.variableDefinitions ?? []).map((definition) => definition.variable.name.value),
  };
}

/** A document of one operation and the fragments that it uses; what else the client sent is nobody's business. */
function withFragments(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): DocumentNode {
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        collect(fragment);
      },
    });
  };
  collect(operation);
  return { kind: Kind.DOCUMENT, definitions: [operation, ...used.values()] };
}
