import { type Authenticator, createSession, type Session } from '../access/session/index.ts';
import type { RequestRecord } from '../transports/http/index.ts';
import type { OperationRequest, ParsedRequest } from './requests.ts';
import { accessOf } from './validation/index.ts';

type CallerContext = Pick<ParsedRequest['context'], 'clientAddress' | 'clientHeaders' | 'span'>;

/** The second stage: determines the session of an operation. */
export class OperationAuthenticator {
  /** The session of requests without credentials. */
  readonly publicSession: Session;
  readonly #authenticator: Authenticator;

  constructor(authenticator: Authenticator, publicRole: string) {
    this.#authenticator = authenticator;
    this.publicSession = createSession(publicRole, {});
  }

  /**
   * Authenticates an operation. The token of an operation with only authentication fields is not verified, because it
   * may be expired. An admin secret is always verified.
   *
   * @throws GatewayError 401 or 403
   */
  authenticate({ document, cache, context, request, query }: ParsedRequest): Session | Promise<Session> {
    const { needs } = accessOf(document, cache.generation);
    if (needs === 'session') {
      const { operationName, variables } = request;
      const operation = { operationName, query, variables };
      return this.#authenticator.authenticate(context.clientHeaders, context.clientAddress, operation, context.span);
    }
    const isVerified = needs === 'public' || this.#authenticator.showsAdminSecret(context.clientHeaders);
    return isVerified ? this.authenticateIfShown(context, request, query) : this.publicSession;
  }

  /** @returns the public session for a request without credentials. */
  authenticateIfShown(
    { clientAddress, clientHeaders, span }: CallerContext,
    { operationName, variables }: OperationRequest,
    query: string | undefined,
  ): Session | Promise<Session> {
    const operation = { operationName, query, variables };
    const session = this.#authenticator.authenticateIfShown(clientHeaders, clientAddress, operation, span);
    return whenKnown(session, (known) => known ?? this.publicSession);
  }
}

/** Records the operation before it is validated, so that the log also names rejected operations. */
export function recordOperation(record: RequestRecord, session: Session, { document, request }: ParsedRequest): void {
  record.caller = session;
  const { operations } = document;
  const { operationName } = request;
  const chosen =
    operationName === undefined ? operations[0] : operations.find(({ name }) => name?.value === operationName);
  if (chosen) record.addOperation(chosen);
}

/** Calls `next` with a value synchronously, or later if it is a promise. Most requests have nothing to wait for. */
export function whenKnown<T, Result>(
  value: T | Promise<T>,
  next: (known: T) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
