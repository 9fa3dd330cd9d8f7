import { Writable } from 'node:stream';
import { readOrdersSettings } from '../../../examples/orders/config.ts';
import { openOrderBook } from '../../../examples/orders/order-book.ts';
import { forgetful, orderFile } from '../../../examples/orders/order-file.ts';
import { SAMPLE_ORDERS } from '../../../examples/orders/sample-orders.ts';
import { createOrdersServer } from '../../../examples/orders/server.ts';
import { createLogger, listen, openTelemetry } from '../../../platform/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at in a JSON body, it names and compares.
  readonly body: any;
}

export interface OrdersService {
  /** Calls as Portico does for a caller of `tenant`; with undefined, as somebody who goes past Portico. */
  get(tenant: number | undefined, path: string, headers?: Record<string, string>): Promise<Answer>;
  post(tenant: number | undefined, path: string, body: unknown): Promise<Answer>;
  graphql(tenant: number | undefined, query: string, variables?: object): Promise<Answer>;
  readonly url: string;
  /** The log, line by line. */
  readonly log: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The sample service on a random port, keeping its orders in `file` or not at all. */
export async function startOrders(file?: string, environment: Record<string, string> = {}): Promise<OrdersService> {
  const log: Record<string, unknown>[] = [];
  const lines = new Writable({
    write(chunk, _encoding, done) {
      log.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const book = await openOrderBook(file ? orderFile(file) : forgetful, SAMPLE_ORDERS);
  const logger = createLogger('orders', 'info', lines);
  const telemetry = await openTelemetry({
    settings: readOrdersSettings(environment).tracing,
    serviceName: 'portico-orders',
    serviceVersion: '',
    log: logger,
  });
  const server = await listen(createOrdersServer(book, logger, telemetry), {
    host: '127.0.0.1',
    port: 0,
    portVariable: 'ORDERS_PORT',
  });
  const url = `http://127.0.0.1:${server.port}`;

  async function call(tenant: number | undefined, path: string, init: RequestInit): Promise<Answer> {
    const claims = tenant === undefined ? {} : { 'x-hasura-tenant-id': String(tenant) };
    const response = await fetch(url + path, { ...init, headers: { ...claims, ...init.headers } });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  }
  const json = { 'content-type': 'application/json' };
  const post = (tenant: number | undefined, path: string, body: unknown) =>
    call(tenant, path, { method: 'POST', headers: json, body: JSON.stringify(body) });

  return {
    url,
    log,
    get: (tenant, path, headers = {}) => call(tenant, path, { headers }),
    post,
    graphql: (tenant, query, variables) => post(tenant, '/graphql', { query, variables }),
    stop: async () => {
      book.close();
      await server.stop();
      await telemetry.stop();
    },
  };
}
