import type { Random } from './random.ts';

/** Somebody who calls, with a token of their tenant. */
export interface Caller {
  readonly tenant: string;
  readonly token: string;
}

/** A request before it is framed. */
export interface OperationContext {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly marker: string;
  readonly caller: Caller;
}

/** Ways into the gateway that end at the canary. */
export type Entrance = 'pass-through' | 'rest' | 'graphql';

/** A call that asks for its own marker and its caller's tenant back. */
export function callTo(
  entrance: Entrance,
  marker: string,
  caller: Caller,
  random: Random,
  manner = '',
): OperationContext {
  const headers = ['Host: portico.test', `Authorization: Bearer ${caller.token}`, `x-request-id: ${marker}`];
  const base = { headers, marker, caller };
  if (entrance === 'pass-through') {
    const method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
    const body = method === 'GET' ? '' : 'x'.repeat(random.below(50));
    return { ...base, method, target: `/canary/${marker}${manner && `?manner=${manner}`}`, body };
  }
  const json = [...headers, 'Content-Type: application/json'];
  if (entrance === 'rest') {
    if (random.chance(50)) return { ...base, method: 'GET', target: `/api/rest/echo/${marker}`, body: '' };
    return { ...base, headers: json, method: 'POST', target: '/api/rest/echo', body: JSON.stringify({ marker }) };
  }
  const query = `{ echo(marker: "${marker}") { marker tenant } }`;
  return { ...base, headers: json, method: 'POST', target: '/v1/graphql', body: JSON.stringify({ query }) };
}

/** A call as an honest client writes it. */
export function framed(
  { method, target, headers, body }: OperationContext,
  random: Random,
  ...more: readonly string[]
): string {
  const start = `${method} ${target} HTTP/1.1`;
  if (body === '') return lines([start, ...headers, ...more, ...(method === 'POST' ? ['Content-Length: 0'] : [])]);
  if (random.chance(50)) return lines([start, ...headers, ...more, `Content-Length: ${body.length}`]) + body;
  const at = random.below(body.length);
  return (
    lines([start, ...headers, ...more, 'Transfer-Encoding: chunked']) +
    chunk(body.slice(0, at)) +
    chunk(body.slice(at)) +
    END
  );
}

/** The last chunk, without trailers. */
export const END = '0\r\n\r\n';

export function chunk(data: string): string {
  return data === '' ? '' : `${data.length.toString(16)}\r\n${data}\r\n`;
}

export function lines(all: readonly string[]): string {
  return `${all.join('\r\n')}\r\n\r\n`;
}
