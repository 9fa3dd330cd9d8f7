import type { Span } from '../../../platform/index.ts';

/**
 * Sends an HTTP request to an issuer or an authentication hook. Resolves with a complete response of any status, and rejects if
 * there is none.
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
