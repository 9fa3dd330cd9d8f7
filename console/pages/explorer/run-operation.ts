import { createClient as createSseClient, NetworkError } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws/client';
import { meros } from 'meros/browser';
import {
  fetchFromGateway,
  gatewayUrl,
  jsonOrUndefined,
  type RequestHeaders,
  requireNotRejected,
} from '../../api/index.ts';
import { explorer } from '../../texts/index.ts';
import { type Answer, NO_ANSWER } from './answer.ts';
import { type IncrementalPayload, withPayload } from './incremental.ts';
import { ownMemberOf, setMember } from './own-members.ts';

/** What is run. */
export interface ExplorerRun {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The headers of the caller and of the tab. */
  readonly headers: RequestHeaders;
  /** By the path of the variable that each takes the place of, such as `file` or `files.0`. */
  readonly files: readonly { readonly variable: string; readonly file: File }[];
}

/** How events of a subscription come. */
export type StreamTransport = 'ws' | 'sse';

const GRAPHQL = 'v1/graphql';
const ACCEPT = 'multipart/mixed;deferSpec=20220824, application/json';

/**
 * Runs a query or mutation.
 *
 * @param show called with what there is of the answer, each time that there is more.
 * @throws RejectedRequest with the answer.
 */
export async function runOnce(run: ExplorerRun, signal: AbortSignal, show: (answer: Answer) => void): Promise<void> {
  const startedAt = performance.now();
  const response = await fetchFromGateway(GRAPHQL, {
    method: 'POST',
    headers: {
      accept: ACCEPT,
      ...(run.files.length === 0 && { 'content-type': 'application/json' }),
      // A request with files needs proof that no form of another site has sent it.
      ...(run.files.length > 0 && { 'apollo-require-preflight': 'true' }),
      ...run.headers,
    },
    body: run.files.length === 0 ? jsonBodyOf(run) : multipartBodyOf(run),
    signal,
  });
  const began: Answer = { ...NO_ANSWER, status: response.status, headers: [...response.headers] };
  const elapsed = () => performance.now() - startedAt;
  const parts = await meros<IncrementalPayload>(response);
  if (parts instanceof Response) {
    const text = await parts.text().catch(() => undefined);
    if (text === undefined) {
      show({ ...began, problem: explorer.connectionLost, durationMs: elapsed(), isDone: true });
      return;
    }
    const result = jsonOrUndefined(text);
    const content = result === undefined ? { problem: text.slice(0, 2_000) } : { result };
    const answer = { ...began, ...content, bytes: utf8Length(text), payloads: 1, durationMs: elapsed(), isDone: true };
    requireNotRejected(response, result, answer);
    show(answer);
    return;
  }
  let answer = began;
  let hasNext = true;
  try {
    for await (const part of parts) {
      const payload: IncrementalPayload = part.json ? part.body : {};
      const bytes = answer.bytes + utf8Length(JSON.stringify(payload));
      const result = withPayload(answer.result as object | undefined, payload);
      answer = { ...answer, result, bytes, payloads: answer.payloads + 1, durationMs: elapsed() };
      show(answer);
      hasNext = payload.hasNext ?? false;
    }
  } catch {
    // What came before stays.
  }
  show({ ...answer, ...(hasNext && { problem: explorer.connectionLost }), durationMs: elapsed(), isDone: true });
}

function jsonBodyOf({ query, operationName, variables }: ExplorerRun): string {
  return JSON.stringify({ query, variables, ...(operationName !== undefined && { operationName }) });
}

/** The GraphQL multipart request specification: the operation, which file is which variable, the files. */
function multipartBodyOf(run: ExplorerRun): FormData {
  const form = new FormData();
  const variables = structuredClone(run.variables);
  for (const { variable } of run.files) setNull(variables, variable.split('.'));
  form.set('operations', jsonBodyOf({ ...run, variables }));
  const map = run.files.map(({ variable }, at) => [String(at), [`variables.${variable}`]] as const);
  form.set('map', JSON.stringify(Object.fromEntries(map)));
  for (const [at, { file }] of run.files.entries()) form.set(String(at), file);
  return form;
}

function setNull(into: object, [first = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    setMember(into, first, null);
    return;
  }
  const known = ownMemberOf(into, first);
  const next = typeof known === 'object' && known !== null ? known : /^\d+$/.test(rest[0] ?? '') ? [] : {};
  setMember(into, first, next);
  setNull(next, rest);
}

/**
 * Runs a subscription until it ends or is aborted.
 *
 * @param headers asked for with each connection, since a token may have been replaced.
 */
export function subscribe(
  run: ExplorerRun,
  transport: StreamTransport,
  headers: () => Promise<RequestHeaders>,
  signal: AbortSignal,
  show: (answer: Answer) => void,
): Promise<void> {
  const startedAt = performance.now();
  let answer = NO_ANSWER;
  const update = (change: Partial<Answer>) => {
    answer = { ...answer, durationMs: performance.now() - startedAt, ...change };
    show(answer);
  };
  const { query, operationName, variables } = run;
  const operation = { query, variables, ...(operationName !== undefined && { operationName }) };
  return new Promise((resolve) => {
    const close = () => {
      update({ isDone: true });
      resolve();
    };
    const sink = {
      next: (result: unknown) =>
        update({ result, payloads: answer.payloads + 1, bytes: answer.bytes + utf8Length(JSON.stringify(result)) }),
      error: (error: unknown) => {
        update(isErrors(error) ? { result: { errors: error } } : { problem: streamEndReason(error) });
        close();
      },
      complete: close,
    };
    const end = transport === 'ws' ? overWebSocket(operation, headers, sink) : overEvents(operation, headers, sink);
    signal.addEventListener('abort', () => {
      end();
      close();
    });
  });
}

interface Sink {
  readonly next: (result: unknown) => void;
  readonly error: (error: unknown) => void;
  readonly complete: () => void;
}

interface OperationToSend {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

function overWebSocket(operation: OperationToSend, headers: () => Promise<RequestHeaders>, sink: Sink): () => void {
  const url = gatewayUrl(GRAPHQL);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const client = createWsClient({
    url: url.href,
    retryAttempts: 0,
    connectionParams: async () => ({ headers: { ...(await headers()) } }),
  });
  return client.subscribe({ ...operation, variables: { ...operation.variables } }, sink);
}

function overEvents(operation: OperationToSend, headers: () => Promise<RequestHeaders>, sink: Sink): () => void {
  const client = createSseClient({
    url: gatewayUrl(GRAPHQL).href,
    retryAttempts: 0,
    headers: async () => ({ ...(await headers()) }),
    credentials: 'omit',
  });
  return client.subscribe({ ...operation, variables: { ...operation.variables } }, sink);
}

function isErrors(error: unknown): error is readonly unknown[] {
  return Array.isArray(error);
}

/** RFC 6455, section 7.4.1: the connection has ended without a close frame. */
const ABNORMAL_CLOSURE = 1006;

/** Why a stream ended: a close frame has its code and reason, an error its message. */
function streamEndReason(error: unknown): string {
  if (error instanceof CloseEvent)
    return error.code === ABNORMAL_CLOSURE ? explorer.connectionLost : `${error.code} ${error.reason}`.trim();
  if (error instanceof NetworkError && !error.response) return explorer.connectionLost;
  return error instanceof Error ? error.message : String(error);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
