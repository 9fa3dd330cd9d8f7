import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Has `@theguild/federation-composition` 0.27 share what its paths have in common. It looks, type after type, whether
 * each field can be reached, and copies the whole way there at each step: with thirty subgraphs of 200 types ways are
 * thousands of steps long, and copying them took 28 of 42 seconds and 1.5 GB. A path that is a step added to another one
 * says the same.
 *
 * The class is none of what the package exports. Where it is not there any more, or not as it was, it is left alone.
 */
export async function shareCommonPaths(): Promise<void> {
  const modules = await loadModules().catch(() => undefined);
  const given: object | undefined = modules?.OperationPath?.prototype;
  if (!modules || !given || !REPLACED.every((name) => typeof Reflect.get(given, name) === 'function')) return;
  Object.assign(given, methodsFor(modules.isFieldEdge, given));
}

/** The methods of a path that say where it goes; the others are made of them. */
const REPLACED = ['move', 'clone', 'depth', 'edge', 'steps', 'isVisitedEdge'] as const;

interface Edge {
  readonly head: { readonly contexts: bigint };
  readonly tail: { readonly typeName: string };
  readonly move: { readonly typeName: string; readonly fieldName: string };
}

/** A way to a place. */
interface Step {
  readonly edge: Edge;
  readonly before: Step | undefined;
  readonly depth: number;
}

interface Path {
  _rootNode: unknown;
  contextsInScope: bigint;
  last: Step | undefined;
}

interface Modules {
  readonly OperationPath?: { readonly prototype: object };
  readonly isFieldEdge: (edge: Edge) => boolean;
}

async function loadModules(): Promise<Modules> {
  const packageFile = createRequire(import.meta.url).resolve('@theguild/federation-composition/package.json');
  const folder = join(dirname(packageFile), 'esm/supergraph/validation/rules/satisfiablity');
  const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
  return { ...(await load('operation-path.js')), ...(await load('edge.js')) };
}

function methodsFor(isFieldEdge: Modules['isFieldEdge'], prototype: object) {
  return {
    move(this: Path, edge: Edge): Path {
      this.last = { edge, before: this.last, depth: (this.last?.depth ?? 0) + 1 };
      if (isFieldEdge(edge)) this.contextsInScope |= edge.head.contexts;
      return this;
    },
    clone(this: Path): Path {
      const { _rootNode, contextsInScope, last } = this;
      return Object.assign(Object.create(prototype) as Path, { _rootNode, contextsInScope, last });
    },
    depth(this: Path): number {
      return this.last?.depth ?? 0;
    },
    edge(this: Path): Edge | undefined {
      return this.last?.edge;
    },
    steps(this: Path): object[] {
      return edgesOf(this.last).map((edge) =>
        isFieldEdge(edge)
          ? { typeName: edge.move.typeName, fieldName: edge.move.fieldName }
          : { typeName: edge.tail.typeName },
      );
    },
    isVisitedEdge(this: Path, edge: Edge): boolean {
      for (let step = this.last; step; step = step.before) if (step.edge === edge) return true;
      return false;
    },
    toString(this: Path): string {
      const steps = edgesOf(this.last).map(({ move, tail }) => ` -(${String(move)})-> ${String(tail)}`);
      return String(this._rootNode) + steps.join('');
    },
  };
}

function edgesOf(last: Step | undefined): readonly Edge[] {
  const edges: Edge[] = [];
  for (let step = last; step; step = step.before) edges.push(step.edge);
  return edges.reverse();
}
