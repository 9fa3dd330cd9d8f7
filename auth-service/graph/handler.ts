import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { createHandler, type OperationArgs } from 'graphql-http';
import type { Logger } from '../../platform/index.ts';
import type { GraphContext } from './context.ts';
import { oneAuthenticationFieldRule } from './one-authentication-field.ts';
import { parseWithoutEcho, publicError, rulesWithoutEcho, variableErrorWithoutEcho } from './safe-errors.ts';
import { createSchema, type UseCases } from './schema.ts';

const MAX_USER_AGENT_LENGTH = 512;
/** Control characters; PostgreSQL takes no NUL, and none belongs into a list of sessions. */
const CONTROL = /\p{Cc}/gu;

export interface GraphOptions extends UseCases {
  /** The log of one request, with its id. */
  loggerOf(request: Request): Logger;
}

/** `POST /graphql` for express, behind a JSON body parser. */
export function createGraphHandler({ loggerOf, ...useCases }: GraphOptions): RequestHandler {
  const handle = createHandler<Request, unknown, GraphContext>({
    schema: createSchema(useCases),
    parse: parseWithoutEcho,
    validationRules: () => [...rulesWithoutEcho, oneAuthenticationFieldRule],
    context: ({ raw }) => contextOf(raw, loggerOf(raw)),
    execute: executeSafely,
    onOperation: (_request, args, result) => withHttpHint(args, result),
    formatError: (error) => publicError(error),
  });

  return async (request, response) => {
    const [body, init] = await handle({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.body,
      raw: request,
      context: undefined,
    });
    response.writeHead(init.status, init.statusText, init.headers).end(body);
  };
}

function contextOf(request: Request, logger: Logger): GraphContext {
  return {
    logger,
    client: {
      address: addressOf(request),
      userAgent: userAgentOf(request),
    },
    accessToken: bearerTokenOf(request),
  };
}

/** The peer is the gateway, which says whom it answers. The last address is the one that it has seen itself. */
function addressOf({ headers }: Request): string | null {
  const address = headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() ?? '';
  return isIP(address) === 0 ? null : address;
}

/** The gateway's own is `portico`; it hands on that of whoever it answers. */
function userAgentOf({ headers }: Request): string | null {
  const userAgent = headers['x-forwarded-user-agent'] ?? headers['user-agent'];
  return userAgent?.toString().replace(CONTROL, '').slice(0, MAX_USER_AGENT_LENGTH) ?? null;
}

/** The caller's own token. What the gateway says about the caller beside it is for services that cannot verify one. */
function bearerTokenOf({ headers }: Request): string | undefined {
  return /^bearer +(?<token>[^ ]+) *$/i.exec(headers.authorization ?? '')?.groups?.token;
}

/** graphql-js's execution, with errors that are fit for the caller; the unexpected ones are logged here. */
async function executeSafely(args: ExecutionArgs): Promise<ExecutionResult> {
  const { logger } = args.contextValue as GraphContext;
  const result = await execute(args);
  if (!result.errors) return result;
  const errors = result.errors.map((error) =>
    publicError('data' in result ? error : variableErrorWithoutEcho(error), (unexpected) =>
      logger.error({ err: unexpected }, 'unexpected error in a resolver'),
    ),
  );
  return { ...result, errors };
}

function withHttpHint(args: OperationArgs<GraphContext>, result: ExecutionResult): ExecutionResult {
  const http = args.contextValue?.http;
  return http ? { ...result, extensions: { ...result.extensions, http } } : result;
}
