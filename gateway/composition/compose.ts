import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { type DocumentNode, GraphQLError, parse, print, printSchema } from 'graphql';
import { buildPublicSchema, restoreExternal, widenFields } from '../federation/index.ts';
import { withFlatRequirements } from './flat-requirements.ts';
import { placesOf, type SdlPlace, subgraphsIn } from './problem-places.ts';

/** A subgraph of Apollo Federation 1 or 2, as it describes itself. */
export interface SubgraphSdl {
  readonly name: string;
  readonly sdl: string;
}

/** A reason why subgraphs do not make one graph. */
export interface CompositionProblem {
  /** As in Apollo's list of composition errors, such as `INVALID_FIELD_SHARING`. */
  readonly code: string;
  readonly message: string;
  /** Those that it is about. Empty when it is about all of them. */
  readonly subgraphs: readonly string[];
  /** Where in their SDL. */
  readonly places: readonly SdlPlace[];
}

export type Composition =
  /** The supergraph, and what clients see of it, both as SDL. */
  { readonly supergraphSdl: string; readonly publicSdl: string } | { readonly problems: readonly CompositionProblem[] };

/** Composes subgraphs into a supergraph. It is computed at once, which takes a second for fifty large ones. */
export function compose(subgraphs: readonly SubgraphSdl[]): Composition {
  const problems: CompositionProblem[] = [];
  const documents = new Map<string, DocumentNode>();
  for (const { name, sdl } of subgraphs)
    try {
      documents.set(name, parse(sdl));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      const places = error.locations?.map(({ line }) => ({ subgraph: name, line })) ?? [];
      problems.push({ code: 'INVALID_GRAPHQL', message: error.message, subgraphs: [name], places });
    }
  if (problems.length > 0) return { problems };
  // The addresses are ours to know: the supergraph is shown to operators.
  const services = [...documents].map(([name, typeDefs]) => ({ name, typeDefs: withFlatRequirements(typeDefs) }));
  const composed = attempt(() => composeServices(services));
  if ('unforeseen' in composed)
    return { problems: [{ code: 'COMPOSITION_FAILED', message: composed.unforeseen, subgraphs: [], places: [] }] };
  if (!compositionHasErrors(composed)) {
    const supergraph = widenFields(restoreExternal(composed.supergraphDocumentNode, services), services);
    return { supergraphSdl: print(supergraph), publicSdl: printSchema(buildPublicSchema(supergraph)) };
  }
  return { problems: composed.errors.map((error) => problemOf(error, documents)) };
}

/** SDL that nobody has thought of must not take more with it than itself. */
function attempt<T>(doing: () => T): T | { unforeseen: string } {
  try {
    return doing();
  } catch (error) {
    return { unforeseen: error instanceof Error ? error.message : String(error) };
  }
}

function problemOf(error: GraphQLError, documents: ReadonlyMap<string, DocumentNode>): CompositionProblem {
  const code = typeof error.extensions.code === 'string' ? error.extensions.code : 'COMPOSITION_FAILED';
  const own = error.extensions.subgraphName;
  const subgraphs = typeof own === 'string' ? [own] : subgraphsIn(error.message, [...documents.keys()]);
  const [line] = error.locations ?? [];
  const places =
    typeof own === 'string' && line
      ? [{ subgraph: own, line: line.line }]
      : placesOf(error.message, subgraphs, documents);
  return { code, message: error.message, subgraphs, places };
}
