import type { Request, RequestHandler } from 'express';
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { createHandler, type OperationArgs } from 'graphql-http';
import type { Logger } from '../../platform/index.ts';
import { ERRORS, UNAVAILABLE_RETRY_SECONDS } from '../errors.ts';
import { logFailure, type OperatorAssertions, type RefreshDeliveries } from '../http/index.ts';
import type { RequestOrigin } from '../use-cases/index.ts';
import type { GraphContext } from './context.ts';
import { createKnownDocuments } from './known-documents.ts';
import { oneAuthenticationFieldRule } from './one-authentication-field.ts';
import { parseWithoutEcho, publicError, rulesWithoutEcho, variableErrorWithoutEcho } from './safe-errors.ts';
import { createSchema, type UseCases } from './schema.ts';

/**
 * graphql-js writes the whole variable into each of these errors, which takes long for a variable with thousands of members.
 */
const MAX_VARIABLE_ERRORS = 1;

const rules = [...rulesWithoutEcho, oneAuthenticationFieldRule];

export interface GraphOptions extends UseCases {
  /** Returns the log of a request, with its id. */
  loggerOf(request: Request): Logger;
  /** Returns the origin of a request. */
  originOf(request: Request): RequestOrigin;
  operatorAssertions: Pick<OperatorAssertions, 'checkOf'>;
  deliveries: RefreshDeliveries;
}

/** Creates the express handler of `POST /graphql`, for use behind a JSON body parser. */
export function createGraphHandler({
  loggerOf,
  originOf,
  operatorAssertions,
  deliveries,
  ...useCases
}: GraphOptions): RequestHandler {
  const documents = createKnownDocuments(parseWithoutEcho);
  const handle = createHandler<Request, unknown, GraphContext>({
    schema: createSchema(useCases),
    parse: (source) => documents.parse(typeof source === 'string' ? source : source.body),
    validate: (schema, document, validationRules = []) => documents.validate(schema, document, validationRules),
    validationRules: () => rules,
    context: ({ raw }) => ({
      logger: loggerOf(raw),
      client: originOf(raw),
      accessToken: bearerTokenOf(raw),
      operatorAssertion: operatorAssertions.checkOf(raw),
      followDelivery: (token) => raw.res && deliveries.follow(token, raw.res),
    }),
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

/** Returns the caller's own token. The gateway's claim headers are for services that cannot verify tokens. */
function bearerTokenOf({ headers }: Request): string | undefined {
  return /^bearer +(?<token>[^ ]+) *$/i.exec(headers.authorization ?? '')?.groups?.token;
}

/** Executes with graphql-js. Errors are made safe for the caller, and unexpected ones are logged. */
async function executeSafely(args: ExecutionArgs): Promise<ExecutionResult> {
  const { logger } = args.contextValue as GraphContext;
  const result = await execute({ ...args, options: { ...args.options, maxCoercionErrors: MAX_VARIABLE_ERRORS } });
  if (!result.errors) return result;
  const errors = result.errors.map((error) =>
    publicError('data' in result ? error : variableErrorWithoutEcho(error), (unexpected) =>
      logFailure(logger, unexpected),
    ),
  );
  if (errors.some((error) => error.extensions.code === 'unavailable')) setRetryAfter(args.contextValue as GraphContext);
  return { ...result, errors };
}

function setRetryAfter(context: GraphContext): void {
  const headers = { 'retry-after': String(UNAVAILABLE_RETRY_SECONDS) };
  context.http ??= { status: ERRORS.unavailable.status, headers };
}

function withHttpHint(args: OperationArgs<GraphContext>, result: ExecutionResult): ExecutionResult {
  const http = args.contextValue?.http;
  return http ? { ...result, extensions: { ...result.extensions, http } } : result;
}
