import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A step from one type to another in the graphs in which the composer checks that each field can be reached. */
export interface Edge {
  readonly head: {
    readonly contexts: bigint;
    /** The subgraphs that the walker came from, for each visit. */
    readonly visitedGraphCombos?: readonly unknown[];
  };
  readonly tail: { readonly typeName: string };
  readonly move: { readonly typeName: string; readonly fieldName: string };
}

/** Classes of `@theguild/federation-composition` whose methods are replaced. It does not export them. */
export interface SatisfiabilityModules {
  readonly OperationPath?: { readonly prototype: object };
  readonly Edge?: { readonly prototype: object };
  readonly Node?: { readonly prototype: object };
  readonly FieldMove?: { readonly prototype: object };
  readonly EntityMove?: { readonly prototype: object };
  readonly AbstractMove?: { readonly prototype: object };
  readonly Graph?: { readonly prototype: object };
  readonly isFieldEdge: (edge: Edge) => boolean;
}

/** @returns undefined where they are not where they were. */
export async function loadSatisfiabilityModules(): Promise<SatisfiabilityModules | undefined> {
  // The bundle exports them too, see build/packages.mjs: other copies of them would be replaced in vain.
  const library: object = await import('@theguild/federation-composition');
  if ('OperationPath' in library) return library as SatisfiabilityModules;
  try {
    const packageFile = createRequire(import.meta.url).resolve('@theguild/federation-composition/package.json');
    const folder = join(dirname(packageFile), 'esm/supergraph/validation/rules/satisfiablity');
    const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
    const files = ['operation-path.js', 'edge.js', 'node.js', 'moves.js', 'graph.js'];
    return Object.assign({}, ...(await Promise.all(files.map(load))));
  } catch {
    return undefined;
  }
}
