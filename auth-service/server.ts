import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from '../platform/index.ts';
import { ApiError } from './errors.ts';
import { createGraphHandler } from './graph/index.ts';
import { createErrorHandler, notFound, onlyJson, onlyMethods } from './http-errors.ts';
import type { Readiness } from './readiness.ts';
import { createRequestLog } from './request-log.ts';
import type { SigningKeys } from './tokens/index.ts';
import type { Login, ReadUser } from './use-cases/index.ts';

const BODY_LIMIT_BYTES = 100 * 1024;

/** Verifiers may keep the public keys for this long, so a new key is published this long before it signs. */
const KEY_SET_MAX_AGE_SECONDS = 300;

export interface ServerOptions {
  login: Login;
  readUser: ReadUser;
  keys: SigningKeys;
  readiness: Readiness;
  logger: Logger;
}

/** Everything that the auth service answers. */
export function createServer({ login, readUser, keys, readiness, logger }: ServerOptions): Express {
  const { middleware: requestLog, loggerOf } = createRequestLog(logger);
  const json = express.json({ limit: BODY_LIMIT_BYTES, inflate: false });
  const graph = createGraphHandler({ login, readUser, loggerOf });

  const app = express().disable('x-powered-by').disable('etag');
  app.use(requestLog);

  app.route('/graphql').post(whenStarted(readiness), noStore, onlyJson, json, graph).all(onlyMethods('POST'));
  app.route('/.well-known/jwks.json').get(whenStarted(readiness), publicKeys(keys)).all(onlyMethods('GET', 'HEAD'));

  app.route('/healthz').get(alive).all(onlyMethods('GET', 'HEAD'));
  app.route('/readyz').get(ready(readiness)).all(onlyMethods('GET', 'HEAD'));

  app.use(notFound);
  app.use(createErrorHandler(loggerOf));
  return app;
}

const alive: RequestHandler = (_request, response) => {
  response.type('text').send('OK');
};

function ready(readiness: Readiness): RequestHandler {
  return async (_request, response) => {
    const report = await readiness.report();
    response.status(report.ready ? 200 : 503).json(report);
  };
}

function publicKeys(keys: SigningKeys): RequestHandler {
  return (_request, response) => {
    response.setHeader('cache-control', `public, max-age=${KEY_SET_MAX_AGE_SECONDS}`);
    response.json(keys.publicKeySet());
  };
}

function whenStarted(readiness: Readiness): RequestHandler {
  return (_request, _response, next) => next(readiness.started() ? undefined : new ApiError('not-ready'));
}

const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  next();
};
