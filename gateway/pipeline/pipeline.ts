import { GraphQLError } from 'graphql';
import type { RateLimiter } from '../access/rate-limit/index.ts';
import type { Authenticator, Session } from '../access/session/index.ts';
import type { LiveGraph } from '../graph/index.ts';
import { fragmentsOf } from '../graphql/syntax/index.ts';
import type { DocumentStore } from '../operations/replicas/index.ts';
import type { Usage } from '../operations/usage/index.ts';
import type { RequestContext } from '../transports/http/index.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../upstream/index.ts';
import { OperationAuthenticator, recordOperation, whenKnown } from './authenticate.ts';
import { limitBatch } from './batch.ts';
import { OperationCounts } from './counts.ts';
import { PersistedQueries, type PersistedQuery, withFragments } from './document/index.ts';
import { subscriptionNeedsStream, unknownOperation } from './errors.ts';
import { executeOperation, type OperationResult, type ResultFormat } from './execute.ts';
import { executeIncrementally, type PartsReceiver } from './execute-incrementally.ts';
import { ExplanationPolicy, explainPlan } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { GenerationCaches } from './generation-caches.ts';
import { LiveSubscriptions, type Subscription } from './live-subscriptions.ts';
import type { NamedOperationLabels } from './named-operations.ts';
import { OperationPlanner, type PlannedOperation } from './planner.ts';
import type {
  ExecutableRequest,
  GenerationCache,
  OperationRequest,
  ParsedRequest,
  PreparedRequest,
  PrepareOptions,
  UnparsedRequest,
} from './requests.ts';
import { forbiddenRequest, invalidRequest, type PublicError, type RejectedRequest } from './response/index.ts';
import { inSpan, inSpanOfPromise } from './stage-span.ts';
import {
  checkEndpointCondition,
  isValidated,
  type OperationLimits,
  type RoleRules,
  type ValidatedDocument,
  type ValidationScope,
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
  /** Documents that several gateways share. If undefined, each process has its own. */
  readonly sharedDocuments?: DocumentStore | undefined;
  /** Labels of named operations' metrics besides the name. If undefined, there are no such labels. */
  readonly namedOperationLabels?: NamedOperationLabels | undefined;
  /** Roles that may request explanations besides the admin. If undefined, only the admin may. */
  readonly explainRoles?: readonly string[] | undefined;
  /** Counts usage. Undefined if counting is disabled. */
  readonly usage?: Usage | undefined;
}

/**
 * Processes an operation between the transport that reads the request and the transport that writes the response.
 *
 * The stages in order:
 *
 * 1. Parse, authenticate and limit the rate. `prepare` calls these.
 * 2. Validate, plan, coerce variables and check session conditions. `#prepareFor` calls these.
 * 3. `execute` or `subscribe`.
 *
 * Each stage has a method or function of its name. The transports respond: `graphql-http/`, `rest/` and
 * `subscriptions/`.
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
  readonly #planner: OperationPlanner;

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
    this.#planner = new OperationPlanner(this.counts);
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

  /** The maximum number of operations in a batch of any role. */
  get maxBatch(): number {
    return this.#cache.rules.maxBatch;
  }

  /**
   * Runs all stages before execution. Returns a promise only if authentication or the rate limit has to wait for
   * another service.
   *
   * @throws GatewayError 401 or 403 if the client may not send the operation, 429 if it has sent too many. In these
   *   cases nothing was validated or executed.
   */
  prepare(
    request: OperationRequest,
    context: RequestContext,
    options: PrepareOptions = {},
  ): PreparedRequest | Promise<PreparedRequest> {
    const cache = this.#cache;
    const parsed = this.#parse(request, context, cache);
    if (parsed.kind === 'unparsed') return this.#rejectUnparsed(parsed, options);
    return whenKnown(this.#authenticate(parsed), (session) =>
      whenKnown(this.#limitRate(session, context, cache.rules), () => this.#prepareFor(session, parsed, options)),
    );
  }

  /**
   * Prepares a saved operation that a handler of the metadata runs. The session comes from the metadata or from the
   * request that the handler works for, and only that request counts for the rate limit.
   *
   * @throws GatewayError if the session may not send the operation.
   */
  prepareSaved(request: OperationRequest, session: Session, context: RequestContext): PreparedRequest {
    const parsed = this.#parse(request, context, this.#cache);
    if (parsed.kind === 'unparsed') return this.#reject([invalidRequest(parsed.error, '$.query')]);
    return this.#prepareFor(session, parsed, { isSaved: true, isNested: true });
  }

  /** Runs the stages after authentication and rate limiting. None of them waits. */
  #prepareFor(session: Session, parsed: ParsedRequest, options: PrepareOptions): PreparedRequest {
    const { request, context, cache, query, document } = parsed;
    const { generation, rules } = cache;
    const { batch, isSaved = false, mayStream = false, isNested = false, sessionCondition } = options;
    if (sessionCondition) checkEndpointCondition(sessionCondition, session);
    const { counts } = this;
    const scope: ValidationScope = { generation, rules, role: session.role, isSaved, counts };
    const explanation = isNested
      ? undefined
      : this.#explanations.open(parsed, session, () => isValidated(document, scope));
    const reject = (errors: readonly PublicError[]) => this.#reject(errors, explanation);

    const validated = this.#validate(parsed, scope);
    const { errors, limits, isAwaited, mayCompress } = validated;
    if (batch) limitBatch(batch, document, limits);
    if (isAwaited) return { ...reject(errors), retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS };
    if (errors.length > 0) return reject(errors);
    this.#keepDocument(parsed, session);

    const wasPlanned = explanation !== undefined && this.#planner.has(validated, request.operationName);
    const planned = this.#plan(parsed, validated);
    if (!planned) return reject([invalidRequest(unknownOperation(request.operationName))]);
    const { plans, operation } = planned;
    if (operation.operation === 'subscription' && !mayStream) throw subscriptionNeedsStream();

    const invalid = coerceVariables(planned, validated, request.variables);
    if (invalid.length > 0) return reject(invalid);

    const forbidden = planned.conditionProblems?.(session, request.variables);
    if (forbidden && forbidden.length > 0) return { ...reject(forbidden.map(forbiddenRequest)), status: 403 };

    explanation?.planned(() => explainPlan(plans, wasPlanned, request.variables, parsed, session.role));
    const { seconds } = limits;
    const { named, usage } = this.#countersOf(planned, parsed, session);
    return {
      kind: 'executable',
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

  /**
   * Executes a prepared operation.
   *
   * @param answered called exactly once with the result, unless the response is incremental.
   * @param parts receives an incremental response. Used if the client accepts one, the operation has `@defer` or
   *   `@stream`, and its source supports them.
   */
  execute(
    executable: ExecutableRequest,
    format: ResultFormat,
    answered: (result: OperationResult) => void,
    parts?: PartsReceiver,
  ): void {
    const { plans, request, explanation } = executable;
    // An explanation requires a complete response.
    const mayBeInParts = request.files === undefined && explanation === undefined;
    if (plans.incremental && parts && mayBeInParts)
      executeIncrementally(executable, plans.incremental, answered, parts);
    else executeOperation(executable, format, answered);
  }

  /** Opens a prepared subscription. A reload ends it if its schema changes or disappears. */
  subscribe(executable: ExecutableRequest): Subscription {
    executable.usage?.subscribed(executable.context.clientHeaders);
    executable.named?.subscribed(executable);
    return this.#subscriptions.open(executable);
  }

  get #cache(): GenerationCache {
    return this.#caches.of(this.#graph.current);
  }

  #parse(request: OperationRequest, context: RequestContext, cache: GenerationCache): ParsedRequest | UnparsedRequest {
    try {
      const query = this.#persisted.textOf(request.query, request.persisted, cache.persisted);
      return { kind: 'parsed', request, context, cache, query, document: cache.documents.get(query) };
    } catch (error) {
      if (error instanceof GraphQLError) return { kind: 'unparsed', request, context, error };
      throw error;
    }
  }

  #authenticate(parsed: ParsedRequest): Session | Promise<Session> {
    const { context } = parsed;
    const authenticated = inSpanOfPromise(context, 'authenticate', () => this.#authenticator.authenticate(parsed));
    return whenKnown(authenticated, (session) => {
      if (context.record) recordOperation(context.record, session, parsed);
      return session;
    });
  }

  /** Counts an operation against the rate limit of its role, if there is one. */
  #limitRate(session: Session, { clientAddress }: RequestContext, rules: RoleRules): Promise<void> | undefined {
    const limit = rules.rateLimitOf(session.role);
    const isAnonymous = session === this.#authenticator.publicSession;
    return limit && this.#rateLimiter.take(limit, { session, address: clientAddress, isAnonymous });
  }

  /**
   * Validates the document against the role's schema, the limits, the allow list and the introspection policy. The
   * result is cached with the document.
   */
  #validate({ context, document }: ParsedRequest, scope: ValidationScope): ValidatedDocument {
    return inSpan(
      context,
      'validate',
      () => !isValidated(document, scope),
      () => validateForRole(document, scope),
    );
  }

  /** Plans the operation. Returns undefined if the document does not have the operation that the request names. */
  #plan(
    { context, request: { operationName } }: ParsedRequest,
    validated: ValidatedDocument,
  ): PlannedOperation | undefined {
    return inSpan(
      context,
      'plan',
      () => !this.#planner.has(validated, operationName),
      () => this.#planner.plan(validated, operationName),
    );
  }

  /** The counters of an operation, which are cached with its plan. */
  #countersOf(
    planned: PlannedOperation,
    { query, document, cache: { generation } }: ParsedRequest,
    { role }: Session,
  ): Pick<ExecutableRequest, 'named' | 'usage'> {
    if (this.#usage && !planned.usage) {
      const own = withFragments(planned.operation, fragmentsOf(document.node));
      planned.usage = this.#usage.of({ ...own, schema: generation.graphOf(role).accepted, role });
    }
    if (planned.named === undefined) planned.named = this.counts.named.of(query, document, planned.operation) ?? null;
    return { named: planned.named, usage: planned.usage };
  }

  /** Caches a valid document, so that it is parsed only once. */
  #keepDocument({ request, cache, query, document }: ParsedRequest, session: Session): void {
    const isPublic = session === this.#authenticator.publicSession;
    cache.documents.keep(query, document, isPublic);
    if (request.persisted) this.#persisted.remember(request.persisted, query, isPublic);
  }

  /** Reports a syntax error, unless the token is invalid: then authentication fails first. */
  async #rejectUnparsed(
    { error, request, context }: UnparsedRequest,
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

  /**
   * Looks up a document that another gateway has stored under its hash. Only requests with a session trigger the
   * lookup.
   */
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
    return { kind: 'rejected', errors, ...(explanation && { extensions: explanation.extensions }) };
  }
}

/** Returns the errors of a client's variables. Empty if the operation may be executed with them. */
function coerceVariables(
  { variableProblems }: PlannedOperation,
  validated: ValidatedDocument,
  variables: OperationRequest['variables'],
): readonly PublicError[] {
  return validated.publicErrors(variableProblems(variables));
}
