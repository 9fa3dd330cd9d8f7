import type { Span } from '../../../platform/index.ts';

/**
 * Sends an HTTP request of the session room's own: to an issuer or an authentication hook. Rejects when there is no complete
 * response; a response with any status resolves.
 */
export type HttpCall = (request: HttpCallRequest) => Promise<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}>;

export interface HttpCallRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
  /** The parent of the call's span. */
  span?: Span | undefined;
}
