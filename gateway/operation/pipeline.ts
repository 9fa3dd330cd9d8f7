import { GraphQLError } from 'graphql';
import type { LiveGraph } from '../graph/index.ts';
import type { RequestContext, RequestRecord } from '../http/index.ts';
import type { RateLimiter } from '../rate-limit/index.ts';
import type { DocumentStore } from '../replicas/index.ts';
import type { Authenticator, Session } from '../session/index.ts';
import { fragmentsOf } from '../syntax/index.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../upstream/index.ts';
import type { Usage } from '../usage/index.ts';
import { OperationAuthenticator } from './authenticate.ts';
import { limitBatch } from './batch.ts';
import { OperationCounts } from './counts.ts';
import { type Document, PersistedQueries, type PersistedQuery, withFragments } from './document/index.ts';
import { subscriptionNeedsStream, unknownOperation } from './errors.ts';
import { executeOperation, type OperationResult, type ResultFormat } from './execute.ts';
import { ExplanationPolicy, explainPlan, openExplanation } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { GenerationCaches } from './generation-caches.ts';
import { LiveSubscriptions, type Subscription } from './live-subscriptions.ts';
import type { NamedOperationLabels } from './named-operations.ts';
import type {
  ExecutableRequest,
  GenerationCache,
  OperationRequest,
  ParsedRequest,
  PreparedRequest,
  PrepareOptions,
} from './requests.ts';
import { invalidRequest, type PublicError, type RejectedRequest } from './response/index.ts';
import { inSpan, inSpanOfPromise } from './stage-span.ts';
import {
  isValidated,
  type OperationLimits,
  type RoleRules,
  type ValidatedOperation,
  validateForRole,
} from './validation/index.ts';

export interface OperationPipelineOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  /** The role of requests without a token. */
  readonly publicRole: string;
  readonly limits: OperationLimits;
  readonly rateLimiter: RateLimiter;
  readonly enforceAllowList: boolean;
  readonly persistQueries: boolean;
  /** Documents that several gateways share; undefined where each process has its own. */
  readonly sharedDocuments?: DocumentStore | undefined;
  /** Labels of the metrics of named operations, beside the name; none where absent. */
  readonly namedOperationLabels?: NamedOperationLabels | undefined;
  /** Roles whose callers may request explanations, beside the admin; none where absent. */
  readonly explainRoles?: readonly string[] | undefined;
  /** Counts what is used; undefined where that is switched off. */
  readonly usage?: Usage | undefined;
}

/**
 * What happens to an operation between the transport that reads a request and the one that writes its response.
 *
 * `prepare` and `#validateAndPlan` list the stages: parse, authenticate, rate-limit, validate, plan, coerce variables. `execute`
 * and `subscribe` follow. To respond is the transport's: `graphql-http/`, `rest/`, `subscriptions/`.
 */
export class OperationPipeline {
  readonly counts: OperationCounts;
  readonly #graph: LiveGraph;
  readonly #caches: GenerationCaches;
  readonly #authenticator: OperationAuthenticator;
  readonly #rateLimiter: RateLimiter;
  readonly #persisted: PersistedQueries;
  readonly #subscriptions: LiveSubscriptions;
  readonly #usage: Usage | undefined;
  readonly #explanations: ExplanationPolicy;

  constructor(options: OperationPipelineOptions) {
    const { graph, limits, enforceAllowList } = options;
    this.counts = new OperationCounts(options.namedOperationLabels);
    this.#graph = graph;
    const { documents: counts, named } = this.counts;
    this.#caches = new GenerationCaches(graph.current, { limits, enforceAllowList, named, counts });
    this.#authenticator = new OperationAuthenticator(options.authenticator, options.publicRole);
    this.#rateLimiter = options.rateLimiter;
    this.#persisted = new PersistedQueries(options.persistQueries, options.sharedDocuments, this.counts.persisted);
    this.#usage = options.usage;
    this.#explanations = new ExplanationPolicy(options.authenticator, options.explainRoles ?? []);
    this.#subscriptions = new LiveSubscriptions(
      graph,
      (generation) => this.#caches.of(generation).rules,
      this.counts.subscriptions,
    );
  }

  /** The number of entries of each cache. */
  get cacheSizes(): Readonly<Record<'documents' | 'persisted_queries', number>> {
    return { documents: this.#cache.documents.size, persisted_queries: this.#persisted.size };
  }

  /** The most operations that a batch of any role may hold. */
  get maxBatch(): number {
    return this.#cache.rules.maxBatch;
  }

  /**
   * Everything that happens before an operation is executed. It returns a promise only where the authentication or the
   * rate limit has to wait for another service.
   *
   * @throws GatewayError 401 or 403 when the caller may not send it, 429 when it has sent too many. Nothing of it was
   * validated or executed then.
   */
  prepare(
    request: OperationRequest,
    context: RequestContext,
    options: PrepareOptions = {},
  ): PreparedRequest | Promise<PreparedRequest> {
    const cache = this.#cache;
    const source = this.#parse(request, cache);
    if (source instanceof GraphQLError) return this.#rejectUnparsed(source, request, context, options);
    const parsed: ParsedRequest = { request, context, cache, ...source };
    const authenticated = inSpanOfPromise(context, 'authenticate', () => this.#authenticator.authenticate(parsed));
    return whenKnown(authenticated, (session) => {
      if (context.record) recordOperation(context.record, session, parsed);
      return whenKnown(this.#limitRate(session, context, cache.rules), () =>
        this.#validateAndPlan(parsed, session, options),
      );
    });
  }

  /** Executes a prepared operation. */
  execute(executable: ExecutableRequest, format: ResultFormat): Promise<OperationResult> {
    return new Promise((resolve) => executeOperation(executable, format, resolve));
  }

  /** Opens a prepared subscription. A reload ends it when it changes or removes the schema that it depends on. */
  subscribe(executable: ExecutableRequest): Subscription {
    executable.usage?.subscribed(executable.context.clientHeaders);
    executable.named?.subscribed(executable);
    return this.#subscriptions.open(executable);
  }

  get #cache(): GenerationCache {
    return this.#caches.of(this.#graph.current);
  }

  #parse(
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

  /** Counts an operation against the rate limit of its role, where there is one. */
  #limitRate(session: Session, { clientAddress }: RequestContext, rules: RoleRules): Promise<void> | undefined {
    const limit = rules.rateLimitOf(session.role);
    const isAnonymous = session === this.#authenticator.publicSession;
    return limit && this.#rateLimiter.take(limit, { session, address: clientAddress, isAnonymous });
  }

  /** The stages from validation on, which need the caller's role. */
  #validateAndPlan(parsed: ParsedRequest, session: Session, options: PrepareOptions): PreparedRequest {
    const { request, context, cache, query, document } = parsed;
    const { batch, isSaved = false, mayStream = false } = options;
    const { generation, rules } = cache;
    const scope = { generation, rules, role: session.role, isSaved, counts: this.counts };
    const wasValidated = () => isValidated(document, scope);
    const explanation = this.#explanations.explains(session, context.clientHeaders)
      ? openExplanation(parsed, session, rules.limitsOf(session.role), wasValidated())
      : undefined;
    const reject = (errors: readonly PublicError[]) => this.#reject(errors, explanation);

    // Validate: role, allow list, introspection policy, limits. The result is kept with the document.
    const validation = inSpan(
      context,
      'validate',
      () => !wasValidated(),
      () => validateForRole(document, scope),
    );
    const { errors, limits, isAwaited } = validation;
    if (batch) limitBatch(batch, document, limits);
    if (isAwaited) return { ...reject(errors), retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS };
    if (errors.length > 0) return reject(errors);
    this.#keepDocument(parsed, session);

    // Plan: once for each operation, kept with the document.
    const { operationName } = request;
    const wasPlanned = explanation !== undefined && validation.hasPlan(operationName);
    const chosen = inSpan(
      context,
      'plan',
      () => !validation.hasPlan(operationName),
      () => validation.operation(operationName),
    );
    if (!chosen) return reject([invalidRequest(unknownOperation(operationName))]);
    const { plans, operation, mayCompress } = chosen;
    if (operation.operation === 'subscription' && !mayStream) throw subscriptionNeedsStream();

    // Coerce variables.
    const variableErrors = chosen.variableErrors(request.variables);
    if (variableErrors.length > 0) return reject(variableErrors);

    explanation?.planned(() => explainPlan(plans, wasPlanned, request.variables, parsed, session.role));
    const { counts } = this;
    const { seconds } = limits;
    const { named, usage } = this.#countersOf(chosen, parsed, session);
    return {
      session,
      plans,
      operation,
      mayCompress,
      query,
      request,
      seconds,
      context,
      counts,
      named,
      usage,
      explanation,
    };
  }

  /** What counts runs of an operation, kept with its plan. */
  #countersOf(
    chosen: ValidatedOperation,
    { query, document, cache: { generation } }: ParsedRequest,
    { role }: Session,
  ): Pick<ExecutableRequest, 'named' | 'usage'> {
    if (this.#usage && !chosen.usage) {
      const own = withFragments(chosen.operation, fragmentsOf(document.node));
      chosen.usage = this.#usage.of({ ...own, schema: generation.graphOf(role).accepted, role });
    }
    if (chosen.named === undefined) chosen.named = this.counts.named.of(query, document, chosen.operation) ?? null;
    return { named: chosen.named, usage: chosen.usage };
  }

  /** A valid document is parsed once only. */
  #keepDocument({ request, cache, query, document }: ParsedRequest, session: Session): void {
    const isPublic = session === this.#authenticator.publicSession;
    cache.documents.keep(query, document, isPublic);
    if (request.persisted) this.#persisted.remember(request.persisted, query, isPublic);
  }

  /** Reports a syntax error, but not to a caller with an invalid token. */
  async #rejectUnparsed(
    error: GraphQLError,
    request: OperationRequest,
    context: RequestContext,
    options: PrepareOptions,
  ): Promise<PreparedRequest> {
    const { persisted } = request;
    const isShared = persisted?.isHash && this.#persisted.mayBeShared(error);
    if (isShared) {
      const query = await this.#sharedQuery({ ...request, persisted }, context);
      if (query !== undefined) return this.prepare({ ...request, query }, context, options);
    }
    const session = await this.#authenticator.authenticateIfShown(context, request, request.query);
    if (context.record) context.record.caller = session;
    await this.#limitRate(session, context, this.#cache.rules);
    return this.#reject([invalidRequest(error, '$.query')]);
  }

  /** The document of a hash that another gateway has stored. It is looked up only for callers with a session. */
  async #sharedQuery(
    request: OperationRequest & { persisted: PersistedQuery },
    context: RequestContext,
  ): Promise<string | undefined> {
    const session = await this.#authenticator.authenticateIfShown(context, request, undefined);
    const isPublic = session === this.#authenticator.publicSession;
    return isPublic ? undefined : this.#persisted.sharedTextOf(request.persisted);
  }

  #reject(errors: readonly PublicError[], explanation?: Explanation): RejectedRequest {
    this.counts.refused++;
    return { errors, ...(explanation && { extensions: explanation.extensions }) };
  }
}

/** Calls `next` synchronously with a value, and later with a promise's: most requests have nothing to wait for. */
function whenKnown<T, Result>(
  value: T | Promise<T>,
  next: (known: T) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The operation is recorded before it is validated, so that the log names those that are rejected. */
function recordOperation(record: RequestRecord, session: Session, { document, request }: ParsedRequest): void {
  record.caller = session;
  const { operations } = document;
  const { operationName } = request;
  const chosen =
    operationName === undefined ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (chosen) record.addOperation(chosen);
}
