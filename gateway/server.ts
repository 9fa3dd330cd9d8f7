import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import express from 'express';
import { type Logger, REQUEST_ID_HEADER } from '../platform/index.ts';
import { metadataApi } from './admin/index.ts';
import { GatewayError } from './errors.ts';
import type { LiveGraph, Reloads } from './graph/index.ts';
import { describeArrival, type Exchange, openExchange, sendFlatError } from './http/index.ts';
import { type GraphqlEndpointOptions, graphqlEndpoint } from './operation/index.ts';
import { type Cors, health, logAccess, readiness } from './ops/index.ts';
import { type PassThrough, restEndpoints, swagger } from './rest/index.ts';
import type { Authenticator } from './session/index.ts';

export interface GatewayParts extends GraphqlEndpointOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  readonly passThrough: PassThrough;
  readonly reloads: Reloads;
  readonly cors: Cors;
  readonly log: Logger;
}

export interface GatewayServer {
  readonly request: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** Who answers what. */
export function createGatewayServer(parts: GatewayParts): GatewayServer {
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const exchangeOf = (request: IncomingMessage) => exchanges.get(request) as Exchange;

  const graphql = graphqlEndpoint(parts);
  const rest = restEndpoints(parts);
  const restDocument = swagger(parts);
  const metadata = metadataApi(parts);
  const { passThrough } = parts;

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get(['/healthz', '/hasura/healthz'], (_, response) => {
    const { status, text } = health(parts.graph, parts.reloads);
    response.status(status).type('text').send(text);
  });
  app.get('/readyz', (_, response) => {
    const { status, body } = readiness(parts.graph, parts.authenticator);
    response.status(status).json(body);
  });
  app.all('/v1/metadata', (request) => metadata(exchangeOf(request)));
  app.use('/api/rest', (request) => rest(exchangeOf(request)));
  app.use('/api/swagger', (request) => restDocument(exchangeOf(request)));
  app.use((request, _response, next) => {
    const exchange = exchangeOf(request);
    return passThrough.matches(exchange.path) ? passThrough.handle(exchange) : next();
  });
  app.use((_, response) => sendFlatError(response, new GatewayError('not-found', 'resource does not exist')));

  return {
    request: (request, response) => {
      const exchange = openExchange(request, response, parts.log);
      logAccess(exchange);
      response.setHeader(REQUEST_ID_HEADER, exchange.requestId);
      response.setHeader('x-content-type-options', 'nosniff');
      if (parts.cors(request, response)) return;
      // express costs more than everything else in a small request, so the GraphQL endpoint does not go through it.
      if (exchange.path === '/v1/graphql') void graphql(exchange);
      else {
        exchanges.set(request, exchange);
        app(request, response);
      }
    },
    upgrade: (request, socket, head) => void passThrough.upgrade(describeArrival(request, parts.log), socket, head),
  };
}
