import type { Request, RequestHandler } from 'express';
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { createHandler, type OperationArgs } from 'graphql-http';
import type { Logger } from '../../platform/index.ts';
import type { Caller } from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';
import { oneAuthenticationFieldRule } from './one-authentication-field.ts';
import { parseWithoutEcho, publicError, rulesWithoutEcho, variableErrorWithoutEcho } from './safe-errors.ts';
import { createSchema, type UseCases } from './schema.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const INT32 = /^-?\d{1,10}$/;
const MAX_INT32 = 2 ** 31 - 1;
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
      // The peer is the gateway. Its word on whom it talks to counts once trusted proxies can be configured.
      address: null,
      userAgent: request.headers['user-agent']?.replace(CONTROL, '').slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    },
    caller: callerOf(request),
  };
}

/** Whom the gateway names. A header that was sent twice arrives as one that is no id, and names nobody. */
function callerOf(request: Request): Caller | undefined {
  const userId = request.headers['x-hasura-user-id'];
  const tenantId = request.headers['x-hasura-tenant-id'];
  if (typeof userId !== 'string' || !UUID.test(userId)) return undefined;
  if (typeof tenantId !== 'string' || !INT32.test(tenantId) || Math.abs(Number(tenantId)) > MAX_INT32) return undefined;
  return { userId, tenantId: Number(tenantId) };
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
