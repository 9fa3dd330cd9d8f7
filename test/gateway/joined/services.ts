import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { type GraphqlUpstream, graphqlUpstream } from '../harness/index.ts';

const { allStitchingDirectivesTypeDefs } = stitchingDirectives();

export type Resolvers = NonNullable<Parameters<typeof graphqlUpstream>[1]>;

/** A service and its entry in `remote_schemas.yaml`. */
export interface Remote {
  readonly upstream: GraphqlUpstream;
  readonly entry: { readonly name: string; readonly definition: object };
}

/** A remote schema by itself. @param more of its entry */
export async function plain(name: string, sdl: string, resolvers: Resolvers, more: object = {}): Promise<Remote> {
  const upstream = await graphqlUpstream(sdl, resolvers);
  const { definition = {}, ...rest } = more as { definition?: object };
  return { upstream, entry: { name, definition: { url: upstream.graphqlUrl, ...definition }, ...rest } };
}

/** A service with stitching directives, whose definitions and `_sdl` are added. */
export async function stitched(name: string, sdl: string, resolvers: Resolvers, more: object = {}): Promise<Remote> {
  const text = `${allStitchingDirectivesTypeDefs} ${sdl} extend type Query { _sdl: String! }`;
  const query = { ...(resolvers as { Query?: object }).Query, _sdl: () => text };
  return plain(name, text, { ...resolvers, Query: query } as Resolvers, {
    ...more,
    definition: { composition: 'stitching' },
  });
}
