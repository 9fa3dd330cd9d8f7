/** Why a request failed: as the gateway says it, or that it could not be reached. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(code: string, message: string, status: number, requestId?: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }

  /** Whether another credential would help. */
  get isUnauthenticated(): boolean {
    return this.status === 401 || CREDENTIAL_CODES.has(this.code);
  }
}

/** The gateway's codes for a token that is missing, expired or otherwise invalid. */
const CREDENTIAL_CODES: ReadonlySet<string> = new Set(['invalid-jwt', 'invalid-headers']);

/** The gateway has not run a request, since it rejects the token: it may be made again with another one. */
export class RejectedRequest extends ApiError {
  /** What a page shows of it. */
  readonly answer: unknown;

  constructor({ code, message, status, requestId }: ApiError, answer: unknown) {
    super(code, message, status, requestId);
    this.answer = answer;
  }
}

/** @throws RejectedRequest where an answer that is to be shown as it is says that the gateway rejects the token. */
export function requireNotRejected(response: Response, body: unknown, answer: unknown): void {
  const error = response.status === 401 ? readError(response, body) : undefined;
  if (error && CREDENTIAL_CODES.has(error.code)) throw new RejectedRequest(error, answer);
}

export function unreachable(): ApiError {
  return new ApiError('unreachable', 'The gateway cannot be reached.', 0);
}

/** @param reason the browser's, such as a header with letters that no header can have. */
export function unsendableRequest(reason: string): ApiError {
  return new ApiError('invalid-request', `The browser cannot send this request: ${reason}`, 0);
}

export function foreignAddress(): ApiError {
  return new ApiError('foreign-address', 'This address does not belong to this gateway. No request was sent.', 0);
}

export function sessionChanged(): ApiError {
  return new ApiError('session-changed', 'The session now belongs to another user. No request was sent.', 0);
}

const UNREADABLE = 'The response is incomplete or is not JSON.';

/** The error in an answer: of GraphQL, or Hasura's flat form. Undefined where it is none. */
export function readError(response: Response, body: unknown): ApiError | undefined {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { errors, error, code } = (body ?? {}) as {
    readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
    readonly error?: string;
    readonly code?: string;
  };
  const [first] = errors ?? [];
  if (first) return new ApiError(first.extensions?.code ?? 'unexpected', first.message, response.status, requestId);
  if (response.ok && body !== undefined) return undefined;
  const unread = response.ok ? UNREADABLE : `HTTP ${response.status}`;
  return new ApiError(code ?? 'unexpected', error ?? unread, response.status, requestId);
}
