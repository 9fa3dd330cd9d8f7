import { type Edge, loadSatisfiabilityModules, type SatisfiabilityModules } from './satisfiability-modules.ts';

/**
 * Makes the paths of `@theguild/federation-composition` 0.27 share their beginnings. It checks for each field whether it can
 * be reached, and copies the whole path at each step: with thirty subgraphs of 200 types, paths are thousands of steps long,
 * and copying them took 28 of 42 seconds and 1.5 GB. A linked list of steps holds the same.
 *
 * The package does not export this class. Where it is missing or different, nothing is replaced.
 */
export async function shareCommonPaths(): Promise<void> {
  const modules = await loadSatisfiabilityModules();
  const given: object | undefined = modules?.OperationPath?.prototype;
  if (!modules || !given || !REPLACED_METHODS.every((name) => typeof Reflect.get(given, name) === 'function')) return;
  Object.assign(given, methodsFor(modules.isFieldEdge, given));
}

/** The methods of a path that the others are made of. */
const REPLACED_METHODS = ['move', 'clone', 'depth', 'edge', 'steps', 'isVisitedEdge'] as const;

/** A path: its last step, and the path before it. */
interface QuickStep {
  readonly edge: Edge;
  readonly before: QuickStep | undefined;
  readonly depth: number;
}

interface QuickPath {
  _rootNode: unknown;
  contextsInScope: bigint;
  last: QuickStep | undefined;
}

function methodsFor(isFieldEdge: SatisfiabilityModules['isFieldEdge'], prototype: object) {
  return {
    move(this: QuickPath, edge: Edge): QuickPath {
      this.last = { edge, before: this.last, depth: (this.last?.depth ?? 0) + 1 };
      if (isFieldEdge(edge)) this.contextsInScope |= edge.head.contexts;
      return this;
    },
    clone(this: QuickPath): QuickPath {
      const { _rootNode, contextsInScope, last } = this;
      return Object.assign(Object.create(prototype) as QuickPath, { _rootNode, contextsInScope, last });
    },
    depth(this: QuickPath): number {
      return this.last?.depth ?? 0;
    },
    edge(this: QuickPath): Edge | undefined {
      return this.last?.edge;
    },
    steps(this: QuickPath): object[] {
      return edgesOf(this.last).map((edge) =>
        isFieldEdge(edge)
          ? { typeName: edge.move.typeName, fieldName: edge.move.fieldName }
          : { typeName: edge.tail.typeName },
      );
    },
    isVisitedEdge(this: QuickPath, edge: Edge): boolean {
      // The walker records each visit of a type before it looks at the fields. On its first visit none of them has been
      // walked: there is no need to search thousands of steps.
      if (edge.head.visitedGraphCombos?.length === 1) return false;
      for (let step = this.last; step; step = step.before) if (step.edge === edge) return true;
      return false;
    },
    toString(this: QuickPath): string {
      const steps = edgesOf(this.last).map(({ move, tail }) => ` -(${String(move)})-> ${String(tail)}`);
      return String(this._rootNode) + steps.join('');
    },
  };
}

function edgesOf(last: QuickStep | undefined): readonly Edge[] {
  const edges: Edge[] = [];
  for (let step = last; step; step = step.before) edges.push(step.edge);
  return edges.reverse();
}
