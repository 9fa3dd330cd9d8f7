/**
 * One HTTP exchange that the session room makes on its own account. Rejects when there is no complete answer; any
 * status is one.
 */
export type HttpCall = (request: {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  timeoutMs: number;
}) => Promise<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}>;
