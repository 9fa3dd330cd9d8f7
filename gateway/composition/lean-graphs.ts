import { loadSatisfiabilityModules } from './satisfiability-modules.ts';

/**
 * Halves the memory of the graphs of `@theguild/federation-composition` 0.27. Each of its nodes, edges and moves holds three
 * functions of its own for its text, which is for a log that is off. Here the text is made on demand.
 *
 * The package does not export these classes. Where they are missing or different, nothing is replaced.
 */
export async function leaveOutTexts(): Promise<void> {
  const modules = await loadSatisfiabilityModules();
  const { Edge, Node, FieldMove, EntityMove, AbstractMove, Graph } = modules ?? {};
  if (!Edge || !Node || !FieldMove || !EntityMove || !AbstractMove || !Graph) return;
  const addEdge: unknown = Reflect.get(Graph.prototype, 'addEdge');
  const createNode: unknown = Reflect.get(Graph.prototype, 'createNode');
  if (typeof addEdge !== 'function' || typeof createNode !== 'function') return;
  const ofKeys = (move: { keyFields?: unknown }) => `key ${move.keyFields ?? ''}`;
  setText<{ head: unknown; move: unknown; tail: unknown }>(
    Edge,
    (edge) => `${edge.head} -(${edge.move})-> ${edge.tail}`,
  );
  setText<{ typeName: string; graphName: string }>(Node, (node) => `${node.typeName}/${node.graphName}`);
  setText<{ fieldName: string }>(FieldMove, (move) => move.fieldName);
  setText(EntityMove, ofKeys);
  setText(AbstractMove, ofKeys);
  Object.assign(Graph.prototype, {
    addEdge(this: unknown, edge: WithText & { readonly move: WithText }): unknown {
      edge._toString = NO_TEXT;
      edge.move._toString = NO_TEXT;
      return addEdge.call(this, edge);
    },
    createNode(this: unknown, ...given: readonly unknown[]): unknown {
      const node: WithText = createNode.apply(this, given);
      node._toString = NO_TEXT;
      return node;
    },
  });
}

interface WithText {
  _toString: typeof NO_TEXT;
}

/** Shared by all of them. */
const NO_TEXT = { get: () => '', invalidate: () => {} };

function setText<T>({ prototype }: { readonly prototype: object }, textOf: (one: T) => string): void {
  Object.assign(prototype, {
    toString(this: T) {
      return textOf(this);
    },
  });
}
