import { type GraphQLSchema, isScalarType } from 'graphql';
import type { Subschema } from '../source.ts';
import { compileIncremental } from './incremental-operation.ts';
import { compileRemoteSubscription } from './remote-events.ts';
import { compileForward } from './remote-operation.ts';
import type { RemoteTarget } from './remote-request.ts';

/** Creates the functions that run operations on a remote schema in its own names. */
export function remoteOperations(
  target: RemoteTarget,
  upstream: GraphQLSchema,
): Required<Pick<Subschema, 'compile' | 'compileSubscription' | 'incremental'>> {
  const takesFiles = isScalarType(upstream.getType('Upload'));
  // A source with a configured `Accept` header is never asked for incremental delivery.
  const directives = upstream
    .getDirectives()
    .filter(({ name }) => (name === 'defer' || name === 'stream') && !('accept' in target.headers));
  return {
    compile: (operation) => compileForward(target, operation, takesFiles),
    compileSubscription: (operation) => compileRemoteSubscription(target, operation),
    incremental: { directives, compile: (operation) => compileIncremental(target, operation) },
  };
}
