import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { NotComposed } from './product-engine.ts';

/**
 * A supergraph as the composer makes it, without anything of this project.
 * @throws NotComposed
 */
export function composeElsewhere(sdls: ReadonlyMap<string, string>): string {
  const composed = composeServices(
    [...sdls].map(([name, sdl]) => ({ name, typeDefs: parse(sdl), url: `http://services.test/${name}` })),
  );
  if (compositionHasErrors(composed))
    throw new NotComposed(
      composed.errors.map(({ message, extensions }) => ({ code: String(extensions.code ?? 'UNKNOWN'), message })),
    );
  return composed.supergraphSdl;
}
