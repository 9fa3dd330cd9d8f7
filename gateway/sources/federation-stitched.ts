import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import type { ExecutionRequest, Executor } from '@graphql-tools/utils';
import { type DocumentNode, execute, visit } from 'graphql';
import type { Supergraph } from '../composition/index.ts';
import type { Call } from './call.ts';
import type { FederationEngine } from './federation-engine.ts';
import { remoteExecutor } from './remote-executor.ts';
import type { RemoteTarget } from './remote-request.ts';
import { schemaEvents } from './schema-events.ts';

/** Runs operations by delegating field by field. It needs no addon, and several times the time. */
export function openStitchedEngine(
  supergraph: Supergraph,
  targets: ReadonlyMap<string, RemoteTarget>,
): FederationEngine {
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: supergraph.document,
    batch: true,
    onSubschemaConfig: (subschema) => {
      const target = targets.get(supergraph.subgraphNames.get(subschema.name) ?? subschema.name);
      if (!target) throw new TypeError(`a subgraph that nobody knows: ${subschema.name}`);
      subschema.executor = remoteExecutor(target) as typeof subschema.executor;
    },
  });
  const run = (request: ExecutionRequest) => {
    const { operationName, variables = {} } = request;
    const document = withoutDirectives(request.document);
    if (request.operationType === 'subscription')
      return schemaEvents({ schema, document, operationName }, variables, request.context as Call);
    return execute({
      schema,
      document,
      operationName: request.operationName,
      variableValues: request.variables,
      contextValue: request.context,
    });
  };
  return { kind: 'stitched', execute: run as Executor<Call> };
}

/** Directives of the composed graph are not for the subgraphs, which may not have them. */
function withoutDirectives(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: ({ name }) => (name.value === 'skip' || name.value === 'include' ? undefined : null),
  });
}
