import type { Span } from '../../platform/index.ts';

/**
 * One HTTP exchange that the session room makes on its own account. Rejects when there is no complete answer; any
 * status is one.
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
  /** What caused it; its own span, where it has one, is below this one. */
  span?: Span | undefined;
}
