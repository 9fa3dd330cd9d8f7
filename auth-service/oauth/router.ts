import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from '../../platform/index.ts';
import { logFailure, type RefreshDeliveries, requireSingleHeaders, type UnfinishedRequests } from '../http/index.ts';
import { isDatabaseUnavailable, type RequestOrigin } from '../use-cases/index.ts';
import {
  databaseUnavailable,
  expectedPost,
  notStarted,
  OAUTH_ERRORS,
  OAuthError,
  repeatedHeaders,
  serverError,
  unreadableBody,
} from './errors.ts';
import { formBody } from './form.ts';
import type { TokenEndpointOptions } from './grants.ts';
import { tokenEndpoint } from './grants.ts';
import {
  type IntrospectionEndpointOptions,
  introspectionEndpoint,
  type RevocationEndpointOptions,
  revocationEndpoint,
} from './token-status.ts';

export type OAuthUseCases = Pick<TokenEndpointOptions, 'authenticateClient' | 'refresh' | 'clientCredentials'> &
  Pick<RevocationEndpointOptions, 'revokeToken'> &
  Pick<IntrospectionEndpointOptions, 'introspect'>;

export interface OAuthOptions extends OAuthUseCases {
  issuer: string;
  audience: string;
  deliveries: RefreshDeliveries;
  /** Returns the origin of a request. */
  originOf(request: Request): RequestOrigin;
  /** Returns whether the service can respond yet. */
  started(): boolean;
  /** The work of handlers, which a stop waits for. */
  unfinished: Pick<UnfinishedRequests, 'follow'>;
  /** Returns the log of a request, with its id. */
  loggerOf(request: Request): Logger;
}

/** The routes below `/oauth`. Every response is JSON with `Cache-Control: no-store` (RFC 6749, section 5.1). */
export function createOAuthRouter(options: OAuthOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { follow } = options.unfinished;
  router.use(neverCached, requireSingleHeaders(repeatedHeaders), requireStarted(options.started));
  router
    .route('/token')
    .post(formBody, follow(tokenEndpoint(options)))
    .all(onlyPost);
  router
    .route('/revoke')
    .post(formBody, follow(revocationEndpoint(options)))
    .all(onlyPost);
  router
    .route('/introspect')
    .post(formBody, follow(introspectionEndpoint(options)))
    .all(onlyPost);
  router.use(createOAuthErrorHandler(options.loggerOf));
  return router;
}

/** RFC 6749, section 5.1. */
const neverCached: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('pragma', 'no-cache');
  next();
};

const onlyPost: RequestHandler = (_request, response) => {
  response.setHeader('allow', 'POST');
  sendOAuthError(response, expectedPost(), 405);
};

function requireStarted(started: () => boolean): RequestHandler {
  return (_request, _response, next) => next(started() ? undefined : notStarted());
}

function createOAuthErrorHandler(loggerOf: (request: Request) => Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof OAuthError) return sendOAuthError(response, error);
    // The body parser's errors, whose messages quote the body.
    const { status } = error as { status?: unknown };
    if (typeof status === 'number' && status < 500) return sendOAuthError(response, unreadableBody());
    logFailure(loggerOf(request), error);
    return sendOAuthError(response, isDatabaseUnavailable(error) ? databaseUnavailable() : serverError());
  };
}

function sendOAuthError(response: Response, error: OAuthError, status: number = OAUTH_ERRORS[error.code].status): void {
  const { code, message, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  if (code === 'invalid_client') response.setHeader('www-authenticate', 'Basic realm="portico", charset="UTF-8"');
  response.status(status).json({ error: code, error_description: message });
}
