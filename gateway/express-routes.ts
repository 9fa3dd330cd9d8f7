import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { OTHER_ROUTE } from '../platform/index.ts';
import type { Assertions } from './access/assertions/index.ts';
import type { Authenticator } from './access/session/index.ts';
import { graphqlElsewhere, resourceNotFound } from './errors.ts';
import type { LiveGraph, MetadataReloads } from './graph/index.ts';
import { health, type ProcessState, readiness } from './operations/monitoring/index.ts';
import { ASSERTION_KEYS_PATH, GRAPHQL_PATH, JOB_PROGRESS_PATH, OLD_GRAPHQL_PATH } from './own-paths.ts';
import { type HttpExchange, sendFlatError } from './transports/http/index.ts';

/** Answers an exchange. */
type ExchangeHandler = (exchange: HttpExchange) => unknown;

export interface ExpressRoutesOptions {
  readonly graph: LiveGraph;
  readonly reloads: MetadataReloads;
  readonly authenticator: Authenticator;
  readonly processState: () => ProcessState;
  /** Undefined where no source gets assertions. */
  readonly assertions: Assertions | undefined;
  /** At Hasura's first address of GraphQL; undefined where GraphQL is switched off. */
  readonly oldGraphql: ExchangeHandler | undefined;
  /** The metadata API; undefined where it is switched off. */
  readonly metadata: ExchangeHandler | undefined;
  /** Takes events of services; undefined where there is no database for jobs. */
  readonly events: ExchangeHandler | undefined;
  /** Takes the progress of jobs; undefined where there is no database for jobs. */
  readonly jobProgress: ExchangeHandler | undefined;
  readonly rest: ExchangeHandler;
  readonly restDocument: ExchangeHandler;
}

/** The addresses of the gateway that are asked seldom. */
export interface ExpressRoutes {
  handle(exchange: HttpExchange, request: IncomingMessage, response: ServerResponse): void;
  /** The route of a path, for metrics. */
  routeOf(path: string): string;
}

/** Services post events there. */
const EVENTS_PATH = '/v1/events';

const METADATA_PATH = '/v1/metadata';

/** Where clients of other servers look for GraphQL. */
const USUAL_GRAPHQL_PATHS: readonly string[] = ['/graphql', '/api/graphql'];

/** The version of Hasura whose interface this is: its CLI and clients ask for it to know what they may send. */
const HASURA_VERSION = { version: 'v2.48.16', server_type: 'ce' } as const;

/** Paths that have a route, beside those below `/api`; what is switched off has one too. */
const ROUTES: ReadonlySet<string> = new Set([
  '/healthz',
  '/hasura/healthz',
  '/readyz',
  '/v1/version',
  METADATA_PATH,
  EVENTS_PATH,
  JOB_PROGRESS_PATH,
  OLD_GRAPHQL_PATH,
  ASSERTION_KEYS_PATH,
]);

export function expressRoutes(options: ExpressRoutesOptions): ExpressRoutes {
  const { graph, reloads, authenticator, processState, assertions, oldGraphql, metadata, events, jobProgress } =
    options;
  const exchanges = new WeakMap<IncomingMessage, HttpExchange>();
  const exchangeOf = (request: IncomingMessage) => exchanges.get(request) as HttpExchange;

  const app = express();
  // Paths are as they are written, as in Hasura: what a proxy keeps from the public has no second spelling here.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.get(['/healthz', '/hasura/healthz'], (request, response) => {
    const { status, text } = health(graph, reloads, request.query.strict === 'true');
    response.status(status).type('text').send(text);
  });
  app.get('/v1/version', (_, response) => {
    response.setHeader('cache-control', 'no-store');
    response.json(HASURA_VERSION);
  });
  app.get('/readyz', (_, response) => {
    const { status, body } = readiness(graph, authenticator, processState());
    response.status(status).json(body);
  });
  if (assertions)
    app.get(ASSERTION_KEYS_PATH, (_, response) => {
      response.setHeader('cache-control', 'public, max-age=300');
      response.json(assertions.keySet);
    });
  if (oldGraphql) app.all(OLD_GRAPHQL_PATH, (request) => oldGraphql(exchangeOf(request)));
  if (metadata) app.all(METADATA_PATH, (request) => metadata(exchangeOf(request)));
  if (events) app.all(EVENTS_PATH, (request) => events(exchangeOf(request)));
  if (jobProgress) app.all(JOB_PROGRESS_PATH, (request) => jobProgress(exchangeOf(request)));
  app.use('/api/rest', (request) => options.rest(exchangeOf(request)));
  app.use('/api/swagger', (request) => options.restDocument(exchangeOf(request)));
  app.use((request) => {
    const isElsewhere = oldGraphql !== undefined && USUAL_GRAPHQL_PATHS.includes(request.path);
    sendFlatError(exchangeOf(request), isElsewhere ? graphqlElsewhere(GRAPHQL_PATH) : resourceNotFound());
  });

  return {
    handle(exchange, request, response) {
      exchanges.set(request, exchange);
      app(request, response);
    },
    routeOf(path) {
      if (ROUTES.has(path)) return path;
      return path === '/api/swagger' || path.startsWith('/api/swagger/') ? '/api/swagger' : OTHER_ROUTE;
    },
  };
}
