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
import type { RateLimiter } from '../rate-limit/index.ts';
import { type Authenticator, createSession, type Session } from '../session/index.ts';
import type { Call, HttpHints } from '../sources/index.ts';
import { type Document, DocumentCache } from './documents.ts';
import { executionErrors, invalidRequest, type PublicError } from './errors.ts';
import { isFailure, resultOf, runForward } from './forward.ts';
import { withoutSuggestion } from './introspection.ts';
import { batchTooLarge, type OperationLimits } from './limits.ts';
import { withinTime } from './limits-time.ts';
import { PersistedQueries, type PersistedQuery } from './persisted.ts';
import { type Plan, planOf } from './plan.ts';
import { takeEnvelope, withEnvelopeFields } from './reference-envelope.ts';
import { RoleRules } from './role-rules.ts';
import { severalAuthenticationFields, validated } from './validation.ts';
import { variableErrors } from './variables.ts';

/** One operation as a client sends it. */
export interface OperationRequest {
  /** Undefined where `persisted` names a document that was sent before. */
  readonly query: string | undefined;
  readonly persisted?: PersistedQuery;
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
  readonly plan: Plan;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The text of the whole document. */
  readonly query: string;
  readonly request: OperationRequest;
  /** How long it may run; undefined for as long as its sources let it. */
  readonly seconds: number | undefined;
  readonly client: Client;
}

/** An operation that its caller may send, and that is wrong in itself. Nothing of it is run. */
export interface InvalidOperation {
  readonly errors: readonly PublicError[];
}

export interface OperationResult {
  /** The whole response as a source sent it, in place of all members but `http`. */
  readonly bytes?: Buffer;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly PublicError[];
  /** Members of the response beside `data` and `errors`. */
  readonly beside: Readonly<Record<string, unknown>>;
  /** What the sources said about the HTTP response. */
  readonly http: HttpHints;
}

/** How an operation comes. */
export interface Circumstances {
  /** How many operations there are in its request. */
  readonly batchSize?: number;
  /** Whether it is one of the metadata's own, which the allow list has nothing to say about. */
  readonly isSaved?: boolean;
}

export interface OperationsOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  /** The role of requests without a token. */
  readonly publicRole: string;
  readonly limits: OperationLimits;
  readonly rateLimiter: RateLimiter;
  readonly enforceAllowList: boolean;
  readonly persistQueries: boolean;
}

/** What is made once for each generation. */
interface GenerationCache {
  readonly generation: Generation;
  readonly documents: DocumentCache;
  readonly rules: RoleRules;
}

/** Takes operations from a client's text to a result. */
export class Operations {
  readonly #graph: LiveGraph;
  readonly #authenticator: Authenticator;
  readonly #limits: OperationLimits;
  readonly #rateLimiter: RateLimiter;
  readonly #enforceAllowList: boolean;
  readonly #persisted: PersistedQueries;
  readonly #publicSession: Session;
  #cache: GenerationCache;

  constructor(options: OperationsOptions) {
    this.#graph = options.graph;
    this.#authenticator = options.authenticator;
    this.#limits = options.limits;
    this.#rateLimiter = options.rateLimiter;
    this.#enforceAllowList = options.enforceAllowList;
    this.#persisted = new PersistedQueries(options.persistQueries);
    this.#publicSession = createSession(options.publicRole, {});
    this.#cache = this.#newCache(options.graph.current);
  }

  /** The most operations that a batch of any role may hold. */
  get maxBatch(): number {
    return this.#cacheOf(this.#graph.current).rules.maxBatch;
  }

  /**
   * Everything that happens before an operation runs.
   *
   * @throws GatewayError 401 or 403 when the caller may not send it, 429 when it has sent too many. Nothing of it was
   * judged or run then.
   */
  async prepare(
    request: OperationRequest,
    client: Client,
    { batchSize = 1, isSaved = false }: Circumstances = {},
  ): Promise<ReadyOperation | InvalidOperation> {
    const generation = this.#graph.current;
    const { documents, rules } = this.#cacheOf(generation);
    const read = this.#read(request, documents);
    if (read instanceof GraphQLError) {
      // A broken document is told so, but not to a caller whose token is bad.
      const isUnknown = this.#authenticator.credentialsIn(client.headers) === 'none';
      const session = isUnknown ? this.#publicSession : await this.#authenticate(client, request, request.query);
      await this.#count(session, client, rules);
      return { errors: [invalidRequest(read, '$.query')] };
    }
    const { query, document } = read;
    const { publicGraph } = generation;
    const isPublic = document.rootFields.every((field) => publicGraph.hasRootField(field.operation, field.name));
    // An authentication operation judges no token, which may be an old one; an admin secret never is.
    const asPublic = isPublic && this.#authenticator.credentialsIn(client.headers) !== 'admin-secret';
    const session = asPublic ? this.#publicSession : await this.#authenticate(client, request, query);

    await this.#count(session, client, rules);
    const limits = rules.limitsOf(session.role);
    if (batchSize > limits.batch) throw batchTooLarge(limits.batch);
    const guesses = severalAuthenticationFields(document, publicGraph);
    if (guesses.length > 0) return { errors: guesses.map((error) => invalidRequest(error)) };
    const refusal = rules.refusal(document, session.role, isSaved);
    if (refusal) return { errors: [invalidRequest(refusal)] };

    const graph = generation.graphOf(session.role);
    const { errors } = validated(document, graph);
    const told = (error: GraphQLError) =>
      invalidRequest(rules.mayIntrospect(session.role) ? error : withoutSuggestion(error));
    if (errors.length > 0) return { errors: errors.map(told) };
    if (request.persisted) this.#persisted.remember(request.persisted, query, isPublic);

    const operation = getOperationAST(document.node, request.operationName);
    if (!operation) return { errors: [unknownOperation(request.operationName)] };
    if (operation.operation === 'subscription')
      throw new GatewayError('unexpected-payload', 'subscriptions are not supported over HTTP');
    const wrong = variableErrors(graph.schema, operation, request.variables);
    if (wrong.length > 0) return { errors: wrong.map(told) };

    // Whoever asks for the schema is shown the one that documents are validated against.
    const asksForSchema = document.rootFields.some(({ name }) => name === '__schema' || name === '__type');
    const schema = asksForSchema ? graph.schema : graph.executable;
    const plan = planOf(document, operation, graph);
    return {
      session,
      schema,
      plan,
      document: document.node,
      operation,
      query,
      request,
      seconds: limits.seconds,
      client,
    };
  }

  /**
   * Runs a prepared operation.
   *
   * @param withEnvelope whether a login's response gets the member that the reference contract shows.
   * @param asBytes whether the caller can relay bytes.
   */
  async run(ready: ReadyOperation, withEnvelope: boolean, asBytes = false): Promise<OperationResult> {
    return withinTime(
      ready.seconds,
      ready.client.signal,
      (signal) => this.#execute(ready, withEnvelope, asBytes, signal),
      () => tooLate(ready.session),
    );
  }

  async #execute(
    ready: ReadyOperation,
    withEnvelope: boolean,
    asBytes: boolean,
    signal: AbortSignal,
  ): Promise<OperationResult> {
    const { client, request } = ready;
    const http: HttpHints = { headers: {}, cookies: [...ready.session.cookies] };
    const call: Call = {
      session: ready.session,
      requestId: client.requestId,
      clientAddress: client.address,
      clientHeaders: client.headers,
      query: ready.query,
      signal,
      log: client.log,
      http,
    };
    const extended = withEnvelope && withEnvelopeFields(ready.document, ready.operation, ready.schema);
    let result: ExecutionResult;
    if (ready.plan.kind === 'forward' && !extended) {
      const answer = await runForward(ready.plan, request.variables, call);
      if (asBytes && 'bytes' in answer) return { bytes: answer.bytes, beside: {}, http };
      result = resultOf(answer);
      // Which fields are missing then, and what else is null for it, is what executing the graph tells.
      if (isFailure(result)) result = await stitched(ready, ready.document, { ...call, failure: result });
    } else {
      result = await stitched(ready, extended ? extended.document : ready.document, call);
    }
    const errors = (result.errors ?? []).flatMap((error) => executionErrors(error, client.log));
    const { data, beside } = extended ? takeEnvelope(result.data) : { data: result.data, beside: {} };
    return { data: data ?? null, ...(errors.length > 0 && { errors }), beside, http };
  }

  #authenticate(client: Client, request: OperationRequest, query: string | undefined): Promise<Session> {
    const { operationName, variables } = request;
    return this.#authenticator.authenticate(client.headers, { operationName, query, variables });
  }

  #read(request: OperationRequest, documents: DocumentCache): { query: string; document: Document } | GraphQLError {
    try {
      const query = this.#persisted.textOf(request.query, request.persisted);
      return { query, document: documents.get(query) };
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  /** Counts an operation against the rate limit of its role, when there is one. */
  async #count(session: Session, { address }: Client, rules: RoleRules): Promise<void> {
    const limit = rules.rateLimitOf(session.role);
    if (limit) await this.#rateLimiter.take(limit, { session, address, isAnonymous: session === this.#publicSession });
  }

  #cacheOf(generation: Generation): GenerationCache {
    if (this.#cache.generation !== generation) this.#cache = this.#newCache(generation);
    return this.#cache;
  }

  #newCache(generation: Generation): GenerationCache {
    return {
      generation,
      documents: new DocumentCache(this.#limits.maxTokens),
      rules: new RoleRules({
        metadata: generation.metadata,
        limits: this.#limits,
        enforceAllowList: this.#enforceAllowList,
      }),
    };
  }
}

function stitched(
  ready: ReadyOperation,
  document: DocumentNode,
  call: Call,
): Promise<ExecutionResult> | ExecutionResult {
  return execute({
    schema: ready.schema,
    document,
    operationName: ready.operation.name?.value,
    variableValues: ready.request.variables,
    contextValue: call,
  });
}

function tooLate({ cookies }: Session): OperationResult {
  const message = 'the operation took longer than its time limit; a mutation may still have its effect';
  const extensions = { path: '$', code: 'tenant-time-limit-exceeded', reason: 'timeout' };
  return { data: null, errors: [{ message, extensions }], beside: {}, http: { headers: {}, cookies: [...cookies] } };
}

function unknownOperation(name: string | undefined): PublicError {
  const message =
    name === undefined
      ? 'exactly one operation has to be present in the document when operationName is not specified'
      : 'no such operation found in the document';
  return { message, extensions: { path: '$', code: 'validation-failed' } };
}
