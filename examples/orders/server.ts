import { STATUS_CODES } from 'node:http';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { type Logger, REQUEST_ID_HEADER, requestIdOf } from '../../platform/index.ts';
import { cancelOrder } from './cancel-order.ts';
import { toCsv } from './export.ts';
import { graphHandler } from './graph.ts';
import type { OrderBook } from './order-book.ts';
import { Problem } from './problem.ts';
import { tenantOfHeaders } from './tenant.ts';

/** Everything that the sample service answers. */
export function createServer(book: OrderBook, log: Logger): Express {
  const app = express();
  app.disable('x-powered-by');

  // Ahead of the log: it is asked for every few seconds.
  app.get(['/healthz', '/readyz'], (_request, response) => {
    response.json({ status: 'ok' });
  });

  app.use(logRequest(log));
  app.use(express.json({ limit: '100kb' }));

  // A subgraph: metadata/remote_schemas.yaml
  app.all('/graphql', graphHandler(book, log));

  // An action webhook: metadata/actions.yaml
  app.post('/actions/cancel-order', cancelOrder(book));

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
    if (!order) throw new Problem('order-not-found', 'there is no such order');
    response.json(order);
  });

  app.use((_request, response) => {
    response.status(404).json({ message: 'there is nothing at this address', code: 'not-found' });
  });
  app.use(explain(log));
  return app;
}

// The request id comes from Portico, so that one id finds a request in the logs of both.
function logRequest(log: Logger): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    const request_id = requestIdOf(request);
    response.setHeader(REQUEST_ID_HEADER, request_id);
    response.once('close', () => {
      const duration_ms = Math.round(performance.now() - began);
      log.info({ request_id, method: request.method, path: request.path, status: response.statusCode, duration_ms });
    });
    next();
  };
}

function explain(log: Logger): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    if (error instanceof Problem) {
      response.status(error.status).json({ message: error.message, code: error.extensions.code });
    } else if (error.status >= 400 && error.status < 500) {
      // What express finds wrong with a body. Its own message may repeat parts of the body.
      response.status(error.status).json({ message: STATUS_CODES[error.status], code: 'invalid-input' });
    } else {
      log.error({ err: error, request_id: response.getHeader(REQUEST_ID_HEADER) }, 'a request failed');
      response.status(500).json({ message: 'internal error', code: 'internal-error' });
    }
  };
}
