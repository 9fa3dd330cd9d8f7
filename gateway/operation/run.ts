import type { IncomingHttpHeaders } from 'node:http';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from '../../platform/index.ts';
import { GatewayError } from '../errors.ts';
import type { Generation, LiveGraph } from '../graph/index.ts';
import { type Authenticator, createSession, type Session } from '../session/index.ts';
import type { Call, HttpHints } from '../sources/index.ts';
import { type Document, DocumentCache } from './documents.ts';
import { executionErrors, invalidRequest, type PublicError } from './errors.ts';
import { takeEnvelope, withEnvelopeFields } from './reference-envelope.ts';
import { validated } from './validation.ts';
import { variableErrors } from './variables.ts';

/** One operation as a client sends it. */
export interface OperationRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** Who sends it, as far as HTTP tells. */
export interface Client {
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  readonly address: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** An operation that may be run now: its caller is known, the document is valid, the variables fit. */
export interface ReadyOperation {
  readonly session: Session;
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly request: OperationRequest;
  readonly client: Client;
}

/** An operation that its caller may send, and that is wrong in itself. Nothing of it is run. */
export interface InvalidOperation {
  readonly errors: readonly PublicError[];
}

export interface OperationResult {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly PublicError[];
  /** Members of the response beside `data` and `errors`. */
  readonly beside: Readonly<Record<string, unknown>>;
  /** What the sources said about the HTTP response. */
  readonly http: HttpHints;
}

export interface OperationLimits {
  readonly maxTokens: number;
}

/** Takes operations from a client's text to a result. */
export class Operations {
  readonly #graph: LiveGraph;
  readonly #authenticator: Authenticator;
  readonly #limits: OperationLimits;
  readonly #publicSession: Session;
  #cache: { generation: Generation; documents: DocumentCache };

  constructor(graph: LiveGraph, authenticator: Authenticator, limits: OperationLimits, publicRole: string) {
    this.#graph = graph;
    this.#authenticator = authenticator;
    this.#limits = limits;
    this.#publicSession = createSession(publicRole, {});
    this.#cache = { generation: graph.current, documents: new DocumentCache(limits.maxTokens) };
  }

  /**
   * Everything that happens before an operation runs.
   *
   * @throws GatewayError 401 or 403 when the caller may not send it. Nothing of it was judged or run then.
   */
  async prepare(request: OperationRequest, client: Client): Promise<ReadyOperation | InvalidOperation> {
    const generation = this.#graph.current;
    const document = this.#parse(request.query, generation);
    if (document instanceof GraphQLError) {
      // A broken document is told so, but not to a caller whose token is bad.
      if (client.headers.authorization !== undefined) await this.#authenticator.authenticate(client.headers);
      return { errors: [invalidRequest(document, '$.query')] };
    }
    const { publicGraph } = generation;
    const isPublic = document.rootFields.every((field) => publicGraph.hasRootField(field.operation, field.name));
    const session = isPublic ? this.#publicSession : await this.#authenticator.authenticate(client.headers);

    const graph = isPublic ? publicGraph : generation.graphOf(session.role);
    const { errors } = validated(document, graph, publicGraph);
    if (errors.length > 0) return { errors: errors.map((error) => invalidRequest(error)) };

    const operation = getOperationAST(document.node, request.operationName);
    if (!operation) return { errors: [unknownOperation(request.operationName)] };
    if (operation.operation === 'subscription')
      throw new GatewayError('unexpected-payload', 'subscriptions are not supported over HTTP');
    const wrong = variableErrors(graph.schema, operation, request.variables);
    if (wrong.length > 0) return { errors: wrong.map((error) => invalidRequest(error)) };

    return { session, schema: graph.schema, document: document.node, operation, request, client };
  }

  /**
   * Runs a prepared operation.
   *
   * @param withEnvelope whether a login's response gets the member that the reference contract shows.
   */
  async run(ready: ReadyOperation, withEnvelope: boolean): Promise<OperationResult> {
    const { client, request } = ready;
    const http: HttpHints = { headers: {}, cookies: [] };
    const call: Call = {
      session: ready.session,
      requestId: client.requestId,
      clientAddress: client.address,
      clientHeaders: client.headers,
      query: request.query,
      signal: client.signal,
      log: client.log,
      http,
    };
    const extended = withEnvelope && withEnvelopeFields(ready.document, ready.operation, ready.schema);
    const result: ExecutionResult = await execute({
      schema: ready.schema,
      document: extended ? extended.document : ready.document,
      operationName: ready.operation.name?.value,
      variableValues: request.variables,
      contextValue: call,
    });
    const errors = (result.errors ?? []).flatMap((error) => executionErrors(error, client.log));
    const { data, beside } = extended ? takeEnvelope(result.data) : { data: result.data, beside: {} };
    return { data: data ?? null, ...(errors.length > 0 && { errors }), beside, http };
  }

  #parse(text: string, generation: Generation): Document | GraphQLError {
    if (this.#cache.generation !== generation)
      this.#cache = { generation, documents: new DocumentCache(this.#limits.maxTokens) };
    try {
      return this.#cache.documents.get(text);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }
}

function unknownOperation(name: string | undefined): PublicError {
  const message =
    name === undefined
      ? 'exactly one operation has to be present in the document when operationName is not specified'
      : 'no such operation found in the document';
  return { message, extensions: { path: '$', code: 'validation-failed' } };
}
