import { GraphQLError } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { Generation, LiveGraph } from '../graph/index.ts';
import type { RequestRecord } from '../http/index.ts';
import type { RateLimiter } from '../rate-limit/index.ts';
import type { DocumentStore } from '../replicas/index.ts';
import { type Authenticator, createSession, type Session } from '../session/index.ts';
import { RETRY_AFTER_SECONDS } from '../sources/index.ts';
import { accessOf } from './access.ts';
import type { Client } from './client.ts';
import { OperationCounts } from './counts.ts';
import { type Document, DocumentCache } from './documents.ts';
import { invalidRequest, type PublicError } from './errors.ts';
import { type OperationResult, type ResultWishes, runOperation } from './execution.ts';
import { judge } from './judgement.ts';
import { batchTooLarge, type OperationLimits, type RoleLimits, tooManyIntrospections } from './limits.ts';
import { LiveSubscriptions, type Subscription } from './live-subscriptions.ts';
import { PersistedQueries, type PersistedQuery } from './persisted.ts';
import { PersistedDocuments } from './persisted-documents.ts';
import type { InvalidOperation, OperationRequest, ReadyOperation } from './ready-operation.ts';
import { RoleRules } from './role-rules.ts';

/** A list of operations that came in one request. */
export interface Batch {
  readonly size: number;
  /** How often those that have been prepared ask for the schema. */
  introspections: number;
}

/** How an operation comes. */
export interface Circumstances {
  /** The batch that it is part of. */
  readonly batch?: Batch;
  /** Whether it is one of the metadata's own, which the allow list has nothing to say about. */
  readonly isSaved?: boolean;
  /** Whether its caller can be given events one after another. */
  readonly mayStream?: boolean;
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
  /** Documents that several gateways know together; undefined: each process knows its own. */
  readonly sharedDocuments?: DocumentStore | undefined;
}

/** What is made once for each generation. */
interface GenerationCache {
  readonly generation: Generation;
  readonly documents: DocumentCache;
  readonly persisted: PersistedDocuments;
  readonly rules: RoleRules;
}

/** What came of preparing an operation. */
export type PreparedRequest = ReadyOperation | InvalidOperation;

/** An operation whose document has been read, while nothing is known of its caller. */
interface ArrivedOperation {
  readonly request: OperationRequest;
  readonly client: Client;
  readonly circumstances: Circumstances;
  readonly cache: GenerationCache;
  readonly query: string;
  readonly document: Document;
}

/** Takes operations from a client's text to a result. */
export class Operations {
  readonly counts = new OperationCounts();
  readonly #graph: LiveGraph;
  readonly #authenticator: Authenticator;
  readonly #limits: OperationLimits;
  readonly #rateLimiter: RateLimiter;
  readonly #enforceAllowList: boolean;
  readonly #persisted: PersistedQueries;
  readonly #publicSession: Session;
  readonly #subscriptions: LiveSubscriptions;
  #cache: GenerationCache;

  constructor(options: OperationsOptions) {
    this.#graph = options.graph;
    this.#authenticator = options.authenticator;
    this.#limits = options.limits;
    this.#rateLimiter = options.rateLimiter;
    this.#enforceAllowList = options.enforceAllowList;
    this.#persisted = new PersistedQueries(options.persistQueries, options.sharedDocuments);
    this.#publicSession = createSession(options.publicRole, {});
    this.#cache = this.#newCache(options.graph.current);
    this.#subscriptions = new LiveSubscriptions(options.graph, (generation) => this.#cacheOf(generation).rules);
  }

  /** The most operations that a batch of any role may hold. */
  get maxBatch(): number {
    return this.#cacheOf(this.#graph.current).rules.maxBatch;
  }

  /**
   * Everything that happens before an operation runs. It waits only where the caller or the rate limit is to be asked for
   * elsewhere.
   *
   * @throws GatewayError 401 or 403 when the caller may not send it, 429 when it has sent too many. Nothing of it was
   * judged or run then.
   */
  prepare(
    request: OperationRequest,
    client: Client,
    circumstances: Circumstances = {},
  ): PreparedRequest | Promise<PreparedRequest> {
    const cache = this.#cacheOf(this.#graph.current);
    const read = this.#read(request, cache);
    if (read instanceof GraphQLError) {
      const { persisted } = request;
      if (persisted?.isHash && this.#persisted.mayBeShared(read))
        return this.#prepareShared(read, { ...request, persisted }, client, circumstances);
      return this.#refuseUnreadable(read, request, client, cache);
    }
    const { query, document } = read;
    const arrived: ArrivedOperation = { request, client, circumstances, cache, query, document };
    const session = this.#callerOf(arrived);
    return session instanceof Promise
      ? session.then((known) => this.#counted(known, arrived))
      : this.#counted(session, arrived);
  }

  /** An operation whose hash only other gateways may know. They are asked for callers with a session alone. */
  async #prepareShared(
    unknown: GraphQLError,
    request: OperationRequest & { persisted: PersistedQuery },
    client: Client,
    circumstances: Circumstances,
  ): Promise<PreparedRequest> {
    const session = await this.#authenticateIfShown(client, request, undefined);
    const isPublic = session === this.#publicSession;
    const query = isPublic ? undefined : await this.#persisted.sharedTextOf(request.persisted);
    if (query !== undefined) return this.prepare({ ...request, query }, client, circumstances);
    return this.#refuseUnreadable(unknown, request, client, this.#cacheOf(this.#graph.current));
  }

  /** A broken document is told so, but not to a caller whose token is bad. */
  async #refuseUnreadable(
    error: GraphQLError,
    request: OperationRequest,
    client: Client,
    { rules }: GenerationCache,
  ): Promise<InvalidOperation> {
    const session = await this.#authenticateIfShown(client, request, request.query);
    if (client.record) client.record.caller = session;
    await this.#count(session, client, rules);
    return this.#refused([invalidRequest(error, '$.query')]);
  }

  /** An authentication operation judges no token, which may be an old one; an admin secret never is. */
  #callerOf({ document, cache, client, request, query }: ArrivedOperation): Session | Promise<Session> {
    const { needs } = accessOf(document, cache.generation);
    if (needs === 'session') return this.#authenticate(client, request, query);
    const isJudged = needs === 'public' || this.#authenticator.showsAdminSecret(client.headers);
    return isJudged ? this.#authenticateIfShown(client, request, query) : this.#publicSession;
  }

  #counted(session: Session, arrived: ArrivedOperation): PreparedRequest | Promise<PreparedRequest> {
    if (arrived.client.record) recordOperation(arrived.client.record, session, arrived);
    const counting = this.#count(session, arrived.client, arrived.cache.rules);
    return counting ? counting.then(() => this.#judged(session, arrived)) : this.#judged(session, arrived);
  }

  #judged(session: Session, arrived: ArrivedOperation): PreparedRequest {
    const { request, client, circumstances, cache, query, document } = arrived;
    const { batch, isSaved = false, mayStream = false } = circumstances;
    const { generation, rules } = cache;
    const judgement = judge(document, { generation, rules, role: session.role, isSaved });
    const { errors, limits, isAwaited } = judgement;
    if (batch) refuseLargeBatch(batch, document, limits);
    if (isAwaited) return { ...this.#refused(errors), retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (errors.length > 0) return this.#refused(errors);
    const ofThePublic = session === this.#publicSession;
    cache.documents.keep(query, document, ofThePublic);
    if (request.persisted) this.#persisted.remember(request.persisted, query, ofThePublic);

    const meant = judgement.operation(request.operationName);
    if (!meant) return this.#refused([unknownOperation(request.operationName)]);
    if (meant.operation.operation === 'subscription' && !mayStream) throw subscriptionNeedsStream();
    const wrong = meant.variableErrors(request.variables);
    if (wrong.length > 0) return this.#refused(wrong);
    const { plans, operation, mayCompress } = meant;
    const { counts } = this;
    return { session, plans, operation, mayCompress, query, request, seconds: limits.seconds, client, counts };
  }

  #refused(errors: readonly PublicError[]): InvalidOperation {
    this.counts.refused++;
    return { errors };
  }

  /** Runs a prepared operation. */
  run(ready: ReadyOperation, wishes: ResultWishes): Promise<OperationResult> {
    return new Promise((resolve) => runOperation(ready, wishes, resolve));
  }

  /** Opens a prepared subscription. It ends when a reload of the metadata takes away what it is made of. */
  subscribe(ready: ReadyOperation): Subscription {
    this.counts.subscriptions++;
    return this.#subscriptions.open(ready);
  }

  #authenticateIfShown(
    client: Client,
    { operationName, variables }: OperationRequest,
    query: string | undefined,
  ): Session | Promise<Session> {
    const session = this.#authenticator.authenticateIfShown(client.headers, { operationName, query, variables });
    if (session instanceof Promise) return session.then((known) => known ?? this.#publicSession);
    return session ?? this.#publicSession;
  }

  #authenticate(client: Client, request: OperationRequest, query: string | undefined): Session | Promise<Session> {
    const { operationName, variables } = request;
    return this.#authenticator.authenticate(client.headers, { operationName, query, variables });
  }

  #read(
    request: OperationRequest,
    { documents, persisted }: GenerationCache,
  ): { query: string; document: Document } | GraphQLError {
    try {
      const query = this.#persisted.textOf(request.query, request.persisted, persisted);
      return { query, document: documents.get(query) };
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  /** Counts an operation against the rate limit of its role, when there is one. */
  #count(session: Session, { address }: Client, rules: RoleRules): Promise<void> | undefined {
    const limit = rules.rateLimitOf(session.role);
    const isAnonymous = session === this.#publicSession;
    return limit && this.#rateLimiter.take(limit, { session, address, isAnonymous });
  }

  #cacheOf(generation: Generation): GenerationCache {
    if (this.#cache.generation !== generation) this.#cache = this.#newCache(generation);
    return this.#cache;
  }

  #newCache(generation: Generation): GenerationCache {
    return {
      generation,
      documents: new DocumentCache(this.#limits.maxTokens, this.counts.documents),
      persisted: new PersistedDocuments(generation.metadata.persistedManifests),
      rules: new RoleRules({
        metadata: generation.metadata,
        limits: this.#limits,
        enforceAllowList: this.#enforceAllowList,
      }),
    };
  }
}

/** The operation is recorded before it is judged, so that the log names those that are refused. */
function recordOperation(record: RequestRecord, session: Session, { document, request }: ArrivedOperation): void {
  record.caller = session;
  const { operations } = document;
  const { operationName } = request;
  const meant =
    operationName === undefined ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (meant) record.addOperation(meant);
}

/** Adds an operation to what a batch asks for. @throws GatewayError when that is more than its caller may. */
function refuseLargeBatch(batch: Batch, { cost }: Document, limits: RoleLimits): void {
  if (batch.size > limits.batch) throw batchTooLarge(limits.batch);
  batch.introspections += cost.introspections;
  if (batch.introspections > limits.introspections) throw tooManyIntrospections(limits.introspections);
}

function subscriptionNeedsStream(): GatewayError {
  return new GatewayError(
    'unexpected-payload',
    'subscriptions are not supported over HTTP, use websockets (graphql-transport-ws or graphql-ws) or accept text/event-stream instead',
  );
}

function unknownOperation(name: string | undefined): PublicError {
  const message =
    name === undefined
      ? 'exactly one operation has to be present in the document when operationName is not specified'
      : 'no such operation found in the document';
  return { message, extensions: { path: '$', code: 'validation-failed' } };
}
