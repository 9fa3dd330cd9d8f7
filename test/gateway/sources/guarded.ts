import {
  openUpstreamHttp,
  type UpstreamConnections,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../../gateway/upstream/index.ts';
import { DEFAULT_RESILIENCE, type ResilienceSettings } from '../../../gateway/upstream/resilience/index.ts';
import { ResilientClient } from '../../../gateway/upstream/resilient-client.ts';
import { Cancellation } from '../../../platform/index.ts';
import { type Handler, keeper, serve, type TestServer } from '../harness/index.ts';

/** What came of a request: a status, or why there was none. */
export type Came = number | UpstreamError['reason'];

export interface Guarded {
  readonly guard: ResilientClient;
  readonly connections: UpstreamConnections;
  readonly service: TestServer;
  /** Requests that the service has not answered. */
  readonly owed: ((status?: number, headers?: Record<string, string>, body?: string) => void)[];
  /** From now on the service does this; undefined: it owes its answers. */
  answer: Handler | undefined;
  send(more?: Partial<UpstreamRequest>): {
    readonly came: Promise<Came>;
    readonly response: Promise<UpstreamResponse>;
    leave(): void;
  };
  /** Another source at the same address. */
  beside(): ResilientClient;
  close(): Promise<void>;
}

/** A guard over a service whose answers a test gives. */
export async function openGuarded(settings: Partial<ResilienceSettings> = {}): Promise<Guarded> {
  const { keep, close } = keeper();
  const connections = await keep(openUpstreamHttp());
  const owed: Guarded['owed'] = [];
  const service = await keep(
    serve((received, response, request) => {
      if (guarded.answer) return guarded.answer(received, response, request);
      const answer: Guarded['owed'][number] = (status = 200, headers = {}, body = '{}') =>
        response.writeHead(status, headers).end(body);
      owed.push(answer);
      response.once('close', () => {
        const index = owed.indexOf(answer);
        if (index >= 0) owed.splice(index, 1);
      });
      return undefined;
    }),
  );
  const guardOf = (name: string) =>
    new ResilientClient({ name, kind: 'remote-schema', settings: { ...DEFAULT_RESILIENCE, ...settings }, connections });
  const guard = guardOf('orders');
  const guarded: Guarded = {
    guard,
    connections,
    service,
    owed,
    answer: undefined,
    beside: () => guardOf('customers'),
    send: (more = {}) => {
      const cancellation = new Cancellation();
      const response = guard.send({
        url: service.url,
        method: 'POST',
        headers: {},
        body: '{}',
        timeoutMs: 30_000,
        isQuery: true,
        cancellation,
        ...more,
      });
      const came = response.then(
        ({ status }) => status,
        (error: unknown) => {
          if (error instanceof UpstreamError) return error.reason;
          throw error;
        },
      );
      return { came, response, leave: () => cancellation.cancel() };
    },
    close,
  };
  return guarded;
}
