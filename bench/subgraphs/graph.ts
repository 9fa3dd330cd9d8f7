import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { PACKAGE_DIR } from '../package-dir.ts';

/** The two services of the small graph. */
export const SUBGRAPH_NAMES = ['a', 'b'] as const;

export type SubgraphName = (typeof SUBGRAPH_NAMES)[number];

/** Returns the subgraph's SDL with the directives of Apollo Federation 2. */
export function federationSdl(name: SubgraphName): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs', `${name}.graphql`), 'utf8');
}

/** Returns the SDL of the service of which roles see a part. */
export function listsSdl(): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs/lists.graphql'), 'utf8');
}

/** Returns the SDL of the service that is stitched to `a`, or that products of `a` have a relationship to. */
export function joinedSdl(name: 'stitched' | 'stock'): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs', `${name}.graphql`), 'utf8');
}

/** Returns the SDL of the subgraph as a service without federation. Only `a` has the products, since two services could not. */
export function plainSdl(name: SubgraphName): string {
  const sdl = federationSdl(name)
    .replace(/^extend schema.*\n/, '')
    .replaceAll(/ @key\([^)]*\)/g, '');
  return name === 'a' ? sdl : sdl.replace(/\ntype Product \{[^}]*\}\n/, '');
}

/**
 * The federations that gateways are started for: the small one, the public benchmark's heavy one, and the same with ten times
 * the objects.
 */
export const GRAPH_NAMES = ['small', 'heavy', 'heavy-10'] as const;

export type GraphName = (typeof GRAPH_NAMES)[number];

export interface BenchSubgraph {
  readonly name: string;
  /** The path below the address of all services. */
  readonly path: string;
  /** The SDL with the directives of Apollo Federation 2. */
  readonly sdl: string;
  /** The types that the subgraph extends in Apollo Federation 1. */
  readonly extended: readonly string[];
}

const HEAVY_SUBGRAPHS = [
  { name: 'accounts', extended: [] },
  { name: 'inventory', extended: ['Product'] },
  { name: 'products', extended: [] },
  { name: 'reviews', extended: ['User', 'Product'] },
];

/** Returns the subgraphs of a graph. */
export function subgraphsOf(graph: GraphName): readonly BenchSubgraph[] {
  if (graph === 'small')
    return SUBGRAPH_NAMES.map((name) => ({
      name,
      path: `/${name}`,
      sdl: federationSdl(name),
      extended: name === 'b' ? ['Product'] : [],
    }));
  return HEAVY_SUBGRAPHS.map(({ name, extended }) => ({
    name,
    path: `/${graph}/${name}`,
    sdl: readFileSync(join(PACKAGE_DIR, 'bench/heavy', `${name}.graphql`), 'utf8'),
    extended,
  }));
}

/** The link that introduces the directives of Federation 2. */
const LINK = /^extend schema\s+@link\([^)]*\)\n/;

/** Returns the SDL without its link, as graphql-js and older gateways expect it. */
export function withoutLink(sdl: string): string {
  return sdl.replace(LINK, '');
}

/** Returns a subgraph's SDL for gateways that support only Apollo Federation 1. */
export function federationOneSdl({ sdl, extended }: BenchSubgraph): string {
  const own = withoutLink(sdl).replaceAll(/^type (Query|Mutation) /gm, 'extend type $1 ');
  return extended.reduce(
    (text, type) =>
      text.replace(
        new RegExp(`^type (${type} @key\\(fields: "(\\w+)"\\) \\{\\n {2}\\2: \\w+!)`, 'm'),
        'extend type $1 @external',
      ),
    own,
  );
}

/** Returns the composed supergraph. @param upstream the address of all services. */
export function supergraphSdl(graph: GraphName, upstream: string): string {
  return composedGraph(graph, upstream).supergraphSdl;
}

/** Returns the schema that clients see. */
export function publicSdl(graph: GraphName): string {
  return composedGraph(graph, 'http://services').publicSdl;
}

function composedGraph(graph: GraphName, upstream: string) {
  const composed = composeServices(
    subgraphsOf(graph).map(({ name, path, sdl }) => ({ name, url: `${upstream}${path}`, typeDefs: parse(sdl) })),
  );
  const { supergraphSdl: supergraph, publicSdl: schema } = composed;
  if (supergraph === undefined || schema === undefined)
    throw new Error(`the benchmark's graph ${graph} does not compose: ${composed.errors?.join(', ')}`);
  return { supergraphSdl: supergraph, publicSdl: schema };
}
