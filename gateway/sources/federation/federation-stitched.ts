import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import type { ExecutionRequest, Executor } from '@graphql-tools/utils';
import {
  type DocumentNode,
  execute,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
} from 'graphql';
import type { Supergraph } from '../../composition/index.ts';
import { StitchedGraph, type StitchedSubschema } from '../../stitching/index.ts';
import { readSubgraphs } from '../../supergraph/index.ts';
import type { OperationContext } from '../operation-context.ts';
import { type RemoteTarget, remoteOperations } from '../remote-schema/index.ts';
import { schemaEvents, stitchedEvents } from '../stitching/index.ts';
import { executorOf } from '../transforms/index.ts';
import type { FederationEngine, SubgraphTargets } from './engine.ts';

/**
 * Runs operations by stitching: missing fields of objects are fetched step by step. It needs no addon, but several
 * times the calls.
 */
export function openStitchedEngine(supergraph: Supergraph, targets: SubgraphTargets): FederationEngine {
  const subgraphs = readSubgraphs(supergraph.document());
  if (!subgraphs) return openDelegatingEngine(supergraph, targets);
  const subschemas = subgraphs.map(({ name, schema, merge }) => {
    const target = targets.get(name);
    if (!target) throw new TypeError(`unknown subgraph: ${name}`);
    return { schema, merge, executor: executorOfTarget(target, schema) as NonNullable<StitchedSubschema['executor']> };
  });
  const { schema } = supergraph;
  const graph = new StitchedGraph({ internal: schema, executable: schema }, subschemas, []);
  const run = async (request: ExecutionRequest) => {
    const { document, operationName, variables = {}, context } = request;
    const operation = getOperationAST(document, operationName);
    if (!operation) throw new TypeError('a document without an operation');
    const only = document.definitions.filter((one) => one === operation || one.kind === Kind.FRAGMENT_DEFINITION);
    const whole = { document: { ...document, definitions: only }, operation };
    if (operation.operation === OperationTypeNode.SUBSCRIPTION)
      return stitchedEvents(graph.compileSubscription(whole)(variables), context as OperationContext);
    return graph.compile(whole)(variables, context);
  };
  return { kind: 'stitched', execute: run as Executor<OperationContext> };
}

function executorOfTarget(target: RemoteTarget, schema: GraphQLSchema): Executor<OperationContext> {
  return executorOf(remoteOperations(target, schema, true), target.name);
}

/** The same for supergraphs with interface objects, and for old ones. */
function openDelegatingEngine(supergraph: Supergraph, targets: SubgraphTargets): FederationEngine {
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: supergraph.document(),
    batch: true,
    onSubschemaConfig: (subschema) => {
      const target = targets.get(supergraph.subgraphNames.get(subschema.name) ?? subschema.name);
      if (!target) throw new TypeError(`unknown subgraph: ${subschema.name}`);
      subschema.executor = executorOfTarget(target, subschema.schema) as typeof subschema.executor;
    },
  });
  const run = (request: ExecutionRequest) => {
    const { operationName, variables = {} } = request;
    const document = withoutGraphDirectives(request.document);
    if (request.operationType === 'subscription')
      return schemaEvents({ schema, document, operationName }, variables, request.context as OperationContext);
    return execute({
      schema,
      document,
      operationName: request.operationName,
      variableValues: request.variables,
      contextValue: request.context,
    });
  };
  return { kind: 'stitched', execute: run as Executor<OperationContext> };
}

/** Directives of the composed graph are not for the subgraphs, which may not have them. */
function withoutGraphDirectives(document: DocumentNode): DocumentNode {
  return visit(document, {
    Directive: ({ name }) => (name.value === 'skip' || name.value === 'include' ? undefined : null),
  });
}
