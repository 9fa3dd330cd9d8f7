import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { PACKAGE_DIR } from '../package-dir.ts';

/** The two services that everything is measured with. */
export const SUBGRAPH_NAMES = ['a', 'b'] as const;

export type SubgraphName = (typeof SUBGRAPH_NAMES)[number];

/** The subgraph's SDL with the directives of Apollo Federation 2. */
export function federationSdl(name: SubgraphName): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs', `${name}.graphql`), 'utf8');
}

/** The SDL of the service of which roles see a part. */
export function listsSdl(): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs/lists.graphql'), 'utf8');
}

/** The SDL of the service that is stitched to `a`, or that products of `a` have a relationship to. */
export function joinedSdl(name: 'stitched' | 'stock'): string {
  return readFileSync(join(PACKAGE_DIR, 'bench/subgraphs', `${name}.graphql`), 'utf8');
}

/** The subgraph as a service that knows nothing of federation; only `a` has the products, since two could not. */
export function plainSdl(name: SubgraphName): string {
  const sdl = federationSdl(name)
    .replace(/^extend schema.*\n/, '')
    .replaceAll(/ @key\([^)]*\)/g, '');
  return name === 'a' ? sdl : sdl.replace(/\ntype Product \{[^}]*\}\n/, '');
}

/** The same for gateways that know Apollo Federation 1 only. */
export function federationOneSdl(name: SubgraphName): string {
  const sdl = federationSdl(name)
    .replace(/^extend schema.*\n/, '')
    .replaceAll(/^type (Query|Mutation) /gm, 'extend type $1 ');
  return name === 'a'
    ? sdl
    : sdl.replace('type Product', 'extend type Product').replace('id: ID!', 'id: ID! @external');
}

/** The supergraph of both, composed. `urlOf` says where each is. */
export function supergraphSdl(urlOf: (name: SubgraphName) => string): string {
  const composed = composeServices(
    SUBGRAPH_NAMES.map((name) => ({ name, url: urlOf(name), typeDefs: parse(federationSdl(name)) })),
  );
  if (composed.supergraphSdl === undefined) throw new Error(`the benchmark's subgraphs do not compose`);
  return composed.supergraphSdl;
}
