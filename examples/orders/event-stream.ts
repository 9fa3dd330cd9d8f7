import type { RequestHandler } from 'express';
import { type ExecutionResult, type GraphQLError, type GraphQLSchema, parse, subscribe, validate } from 'graphql';
import { z } from 'zod';

const operation = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** So that no proxy takes a quiet stream for a dead one. */
export const HEARTBEAT_MS = 15_000;

export interface EventStreamOptions<Context> {
  readonly schema: GraphQLSchema;
  /** @param ended aborted when the client has gone. */
  contextOf(headers: Parameters<RequestHandler>[0]['headers'], ended: AbortSignal): Context;
  formatError(error: GraphQLError): Error;
}

/**
 * Answers subscriptions as server-sent events, in the distinct connections mode of the GraphQL over SSE protocol
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). Requests that accept none are left to the next handler.
 */
export function eventStream<Context>({ schema, contextOf, formatError }: EventStreamOptions<Context>): RequestHandler {
  return async (request, response, next) => {
    if (!request.headers.accept?.includes('text/event-stream')) return next();
    const given = operation.safeParse(request.body);
    const document = given.success ? parsed(given.data.query) : undefined;
    if (!given.success || !document || validate(schema, document).length > 0) {
      response.status(400).json({ errors: [{ message: 'the operation is not valid' }] });
      return;
    }
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const events = await subscribe({
      schema,
      document,
      variableValues: given.data.variables ?? {},
      operationName: given.data.operationName ?? null,
      contextValue: contextOf(request.headers, ended.signal),
    });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
    const send = ({ errors, ...result }: ExecutionResult) => {
      const payload = errors ? { ...result, errors: errors.map(formatError) } : result;
      response.write(`event: next\ndata: ${JSON.stringify(payload)}\n\n`);
    };
    if (Symbol.asyncIterator in events) for await (const result of events) send(result);
    else send(events);
    clearInterval(heartbeat);
    response.end('event: complete\ndata:\n\n');
  };
}

function parsed(query: string) {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}
