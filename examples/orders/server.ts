import { STATUS_CODES } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { type Logger, REQUEST_ID_HEADER, type Telemetry } from '../../platform/index.ts';
import { cancelOrder, delivery, orderStatus } from './actions.ts';
import { toCsv } from './export.ts';
import { graphHandlers } from './graph.ts';
import type { OrderBook } from './order-book.ts';
import { OrderProblem } from './problem.ts';
import { logRequests } from './request-log.ts';
import { tenantOfHeaders } from './tenant.ts';

/** Everything that the sample service answers. */
export function createOrdersServer(book: OrderBook, log: Logger, telemetry: Pick<Telemetry, 'tracer'>): Express {
  const app = express();
  app.disable('x-powered-by');

  // Ahead of the log: it is asked for every few seconds.
  app.get(['/healthz', '/readyz'], (_request, response) => {
    response.json({ status: 'ok' });
  });

  app.use(logRequests(log, telemetry));
  app.use(express.json({ limit: '100kb' }));

  // A subgraph: metadata/remote_schemas.yaml
  app.all('/graphql', ...graphHandlers(book, log));

  // Action webhooks: metadata/actions.yaml
  app.post('/actions/cancel-order', cancelOrder(book));
  app.post('/actions/delivery', delivery(book));
  app.post('/actions/order-status', orderStatus(book));

  // Plain HTTP, passed through: metadata/services.yaml
  app.get('/orders', (request, response) => {
    response.json(book.list(tenantOfHeaders(request.headers)));
  });
  app.get('/orders/export.csv', (request, response) => {
    const csv = toCsv(book.list(tenantOfHeaders(request.headers)));
    response.attachment('orders.csv').type('text/csv').send(csv);
  });
  app.get('/orders/:id', (request, response) => {
    const order = book.find(tenantOfHeaders(request.headers), request.params.id);
    if (!order) throw new OrderProblem('order-not-found', 'there is no such order');
    response.json(order);
  });

  app.use((_request, response) => {
    response.status(404).json({ message: 'there is nothing at this address', code: 'not-found' });
  });
  app.use(explain(log));
  return app;
}

function explain(log: Logger): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    if (error instanceof OrderProblem) {
      response.status(error.status).json({ message: error.message, code: error.extensions.code });
    } else if (error.status >= 400 && error.status < 500) {
      // What express finds wrong with a body. Its own message may repeat parts of the body.
      response.status(error.status).json({ message: STATUS_CODES[error.status], code: 'invalid-input' });
    } else {
      log.error(
        { event: 'request.failed', err: error, request_id: response.getHeader(REQUEST_ID_HEADER) },
        'a request failed',
      );
      response.status(500).json({ message: 'internal error', code: 'internal-error' });
    }
  };
}
