import express, { type Express, type RequestHandler } from 'express';
import {
  GATEWAY_CREDENTIAL_HEADER,
  gatewayCredentialCheck,
  type HttpServerCounts,
  type Logger,
  type Telemetry,
} from '../platform/index.ts';
import type { ActiveSpan } from './active-span.ts';
import { ApiError } from './errors.ts';
import { createGraphHandler, type UseCases } from './graph/index.ts';
import {
  countRequests,
  createErrorHandler,
  createOperatorAssertions,
  createRequestLog,
  createRequestOriginOf,
  createRequestSpans,
  notFound,
  onlyJson,
  onlyMethods,
  type Readiness,
  type RefreshDeliveries,
  requireSecret,
  requireSingleHeaders,
  type UnfinishedRequests,
} from './http/index.ts';
import { createOAuthRouter, type OAuthUseCases, serverMetadata } from './oauth/index.ts';
import type { SigningKeys, VerifyOperatorAssertion } from './tokens/index.ts';
import type { ListRevocations } from './use-cases/index.ts';

const BODY_LIMIT_BYTES = 100 * 1024;

export interface ServerOptions {
  useCases: UseCases & OAuthUseCases;
  /** `iss` and `aud` of the access tokens. `issuer` is the gateway's public URL. */
  accessTokens: { issuer: string; audience: string };
  listRevocations: ListRevocations;
  /** Secrets with which a gateway may read the revocations and have its traces continued. If empty, no secret is required. */
  revocationSecrets: readonly string[];
  keys: SigningKeys;
  /** Returns the time for issuing access tokens. */
  now(): Date;
  /** Undefined if no gateway's admin secret makes an operator. */
  verifyOperatorAssertion: VerifyOperatorAssertion | undefined;
  readiness: Readiness;
  deliveries: RefreshDeliveries;
  unfinished: Pick<UnfinishedRequests, 'follow'>;
  requests: HttpServerCounts;
  /** The number of trusted processes between callers and this service. */
  trustedProxies: number;
  telemetry: Telemetry;
  activeSpan: ActiveSpan;
  logger: Logger;
}

/** Creates the server with all routes of the auth service. */
export function createServer({
  useCases,
  accessTokens,
  listRevocations,
  revocationSecrets,
  keys,
  now,
  verifyOperatorAssertion,
  readiness,
  deliveries,
  unfinished,
  requests,
  trustedProxies,
  telemetry,
  activeSpan,
  logger,
}: ServerOptions): Express {
  const isGateways = gatewayCredentialCheck(revocationSecrets);
  const { middleware: requestSpans, spanOf } = createRequestSpans({
    telemetry,
    activeSpan,
    isFromGateway: ({ headers }) => isGateways(headers[GATEWAY_CREDENTIAL_HEADER]),
  });
  const { middleware: requestLog, loggerOf, idOf } = createRequestLog(logger, spanOf);
  const originOf = createRequestOriginOf(trustedProxies, idOf);
  const operatorAssertions = createOperatorAssertions(verifyOperatorAssertion);
  const json = express.json({ limit: BODY_LIMIT_BYTES, inflate: false, verify: operatorAssertions.keepDigest });
  const graph = createGraphHandler({ ...useCases, operatorAssertions, deliveries, originOf, loggerOf });

  const app = express().disable('x-powered-by').disable('etag');
  app.use(countRequests(requests, spanOf), requestSpans, requestLog);

  // These routes have their own errors.
  app.use(
    '/oauth',
    createOAuthRouter({
      ...useCases,
      ...accessTokens,
      deliveries,
      originOf,
      started: readiness.started,
      unfinished,
      loggerOf,
    }),
  );

  app.use(requireSingleHeaders(() => new ApiError('repeated-header')));
  app
    .route('/graphql')
    .post(whenStarted(readiness), noStore, onlyJson, json, unfinished.follow(graph))
    .all(onlyMethods('POST'));
  app
    .route('/.well-known/jwks.json')
    .get(whenStarted(readiness), issuersTime(now), publicKeys(keys))
    .all(onlyMethods('GET', 'HEAD'));

  app
    .route('/.well-known/oauth-authorization-server')
    .get(serverMetadata(accessTokens.issuer))
    .all(onlyMethods('GET', 'HEAD'));

  // For verifiers of access tokens, such as the gateway, and not for their callers.
  app
    .route('/revocations')
    .get(
      noStore,
      requireSecret(revocationSecrets),
      whenStarted(readiness),
      issuersTime(now),
      revocations(listRevocations),
    )
    .all(onlyMethods('GET', 'HEAD'));

  app.route('/healthz').get(alive(readiness)).all(onlyMethods('GET', 'HEAD'));
  app.route('/readyz').get(ready(readiness)).all(onlyMethods('GET', 'HEAD'));

  app.use(notFound);
  app.use(createErrorHandler(loggerOf));
  return app;
}

function alive(readiness: Readiness): RequestHandler {
  return (_request, response) => {
    response.type('text');
    if (readiness.stuck()) response.status(503).send('FAIL: connections to the database are stuck');
    else response.send('OK');
  };
}

function ready(readiness: Readiness): RequestHandler {
  return async (_request, response) => {
    const report = await readiness.report();
    response.status(report.ready ? 200 : 503).json(report);
  };
}

function publicKeys(keys: SigningKeys): RequestHandler {
  return async (_request, response) => {
    const { keySet, maxAgeSeconds } = await keys.published();
    response.setHeader('cache-control', `public, max-age=${maxAgeSeconds}`);
    response.json(keySet);
  };
}

function revocations(list: ListRevocations): RequestHandler {
  return async (request, response) => {
    const { after } = request.query;
    response.json(await list(typeof after === 'string' ? after : undefined));
  };
}

function whenStarted(readiness: Readiness): RequestHandler {
  return (_request, _response, next) => next(readiness.started() ? undefined : new ApiError('not-ready'));
}

/** Verifiers compare their clock with the `Date` of these responses, so it is the time of the tokens and not of the machine. */
function issuersTime(now: () => Date): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('date', now().toUTCString());
    next();
  };
}

const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  next();
};
