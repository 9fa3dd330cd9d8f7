import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../platform/index.ts';
import { isDatabaseUnavailable } from '../database/index.ts';
import { ApiError, ERRORS, type ErrorCode, UNAVAILABLE_RETRY_SECONDS } from '../errors.ts';
import { logFailure } from './log-failure.ts';

/** The body parser's error types (see "Errors" of raw-body and body-parser). Their messages quote the body. */
const BODY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  'entity.parse.failed': 'bad-request',
  'entity.too.large': 'payload-too-large',
  'charset.unsupported': 'unsupported-media-type',
  'encoding.unsupported': 'unsupported-media-type',
  'request.aborted': 'bad-request',
  'request.size.invalid': 'bad-request',
};

/** Responds with 405 to every method that the preceding routes did not handle. */
export function onlyMethods(...methods: string[]): RequestHandler {
  return (_request, response) => {
    response.setHeader('allow', methods.join(', '));
    sendError(response, 'method-not-allowed');
  };
}

/** Responds with 415 to a body that is not declared as JSON, which also rejects HTML forms of other sites. */
export const onlyJson: RequestHandler = (request, _response, next) => {
  next(request.is('application/json') ? undefined : new ApiError('unsupported-media-type'));
};

export const notFound: RequestHandler = (_request, response) => sendError(response, 'not-found');

/** Turns a handler's error into a response that contains only the message of its code. */
export function createErrorHandler(loggerOf: (request: Request) => Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const code = errorCodeOf(error);
    if (code === 'unexpected' || code === 'unavailable') logFailure(loggerOf(request), error);
    return sendError(response, code);
  };
}

function errorCodeOf(error: unknown): ErrorCode {
  if (error instanceof ApiError) return error.code;
  const type = (error as { type?: unknown } | undefined)?.type;
  const ofBody = typeof type === 'string' ? BODY_ERRORS[type] : undefined;
  return ofBody ?? (isDatabaseUnavailable(error) ? 'unavailable' : 'unexpected');
}

function sendError(response: Response, code: ErrorCode): void {
  const { status, message } = ERRORS[code];
  if (status === 503) response.setHeader('retry-after', UNAVAILABLE_RETRY_SECONDS);
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
}
