import type { GraphQLSchema } from 'graphql';
import { FederatedGraph, type RelayedFetch } from '../../planning/joins/index.ts';
import {
  type CompiledOperation,
  type CompiledSubscription,
  compileJoin,
  compileJoinedEvents,
  documentOf,
  type OperationContext,
  type OperationDocument,
  type RunOtherwise,
  toOperationAnswer,
} from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { joinedServices, readAnswer } from './joined-services.ts';
import { type JoinedParts, joinedTypes } from './joined-types.ts';

/** Plans operations over several sources of a role's graph, with the planner for subgraphs. */
export class JoinedGraph {
  readonly #parts: JoinedParts;
  readonly #schema: GraphQLSchema;
  #graph: FederatedGraph<OperationContext> | undefined;

  /** @param schema the schema that responses are checked against */
  constructor(parts: JoinedParts, schema: GraphQLSchema) {
    this.#parts = parts;
    this.#schema = schema;
  }

  /** @param introspect compiles a document that contains only introspection fields */
  compile(operation: OperationDocument, introspect: (text: string) => CompiledOperation): CompiledOperation {
    const compiled = compileJoin(this.#opened(), operation, introspect, { runOtherwise: this.#relays() });
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

  /** Relays an operation that a single source can resolve, unless its values have to be checked. */
  #relays(): RunOtherwise {
    const compiled = new WeakMap<RelayedFetch<OperationContext>, CompiledOperation | undefined>();
    const compiledFor = (relay: RelayedFetch<OperationContext>): CompiledOperation | undefined => {
      if (!compiled.has(relay)) {
        const source = this.#parts.subschemas.find((one) => one.source === relay.subgraph);
        compiled.set(relay, source?.uncheckedTypes ? undefined : source?.compile?.(documentOf(relay.operation)));
      }
      return compiled.get(relay);
    };
    return (join, variables, context, done) => {
      const { relay } = join;
      const whole = relay && compiledFor(relay);
      if (!whole) return false;
      whole.run(variables, context, (answer) => {
        if (answer instanceof PassthroughBody) done(answer);
        else done(toOperationAnswer(relay.complete(readAnswer(relay.subgraph, answer), variables, context), context));
      });
      return true;
    };
  }

  /** Creates the planner on demand, since many roles never use several sources in one operation. */
  #opened(): FederatedGraph<OperationContext> {
    this.#graph ??= new FederatedGraph({
      types: joinedTypes(this.#parts),
      publicSchema: this.#schema,
      services: joinedServices(this.#parts.subschemas),
    });
    return this.#graph;
  }
}
