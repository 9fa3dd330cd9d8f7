import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../errors.ts';

/** Sends a JSON body, a value or the bytes of one, and ends the response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body), 'utf8');
  response.statusCode = status;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', bytes.length);
  response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(bytes);
}

/** Sends Hasura's flat error body, which every endpoint but the GraphQL one answers with. */
export function sendFlatError(response: ServerResponse, error: GatewayError): void {
  sendJson(response, error.status, { path: error.path, error: error.message, code: error.code }, error.headers);
}
