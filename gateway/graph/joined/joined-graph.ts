import type { GraphQLSchema } from 'graphql';
import { FederatedGraph } from '../../federation/index.ts';
import {
  type CompiledOperation,
  type CompiledSubscription,
  compileJoin,
  compileJoinedEvents,
  type OperationContext,
  type OperationDocument,
} from '../../sources/index.ts';
import { joinedServices } from './joined-services.ts';
import { type JoinedParts, joinedTypes } from './joined-types.ts';

/** Plans operations over several sources of a role's graph, as those over subgraphs are planned. */
export class JoinedGraph {
  readonly #parts: JoinedParts;
  readonly #schema: GraphQLSchema;
  #graph: FederatedGraph<OperationContext> | undefined;

  /** @param schema the one that responses are checked against */
  constructor(parts: JoinedParts, schema: GraphQLSchema) {
    this.#parts = parts;
    this.#schema = schema;
  }

  /** @param introspect compiles a document of introspection fields alone */
  compile(operation: OperationDocument, introspect: (text: string) => CompiledOperation): CompiledOperation {
    const compiled = compileJoin(this.#opened(), operation, { introspect });
    if (!compiled) throw new TypeError('introspection can always be compiled');
    return compiled;
  }

  /** @throws UnplannableOperation */
  compileSubscription(operation: OperationDocument): CompiledSubscription {
    const { subschemas } = this.#parts;
    return compileJoinedEvents(this.#opened(), operation, (service, own) =>
      subschemas.find(({ source }) => source === service)?.compileSubscription?.(own),
    );
  }

  /** Many roles never ask for more than one source at a time. */
  #opened(): FederatedGraph<OperationContext> {
    this.#graph ??= new FederatedGraph({
      types: joinedTypes(this.#parts),
      publicSchema: this.#schema,
      services: joinedServices(this.#parts.subschemas),
    });
    return this.#graph;
  }
}
