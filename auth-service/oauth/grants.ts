import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../platform/index.ts';
import type { LogEvent, RefreshDeliveries } from '../http/index.ts';
import type { ClientCredentials, Refresh } from '../use-cases/index.ts';
import { authenticate, authenticateAlways, type ClientAuthentication } from './client-authentication.ts';
import {
  invalidClient,
  invalidGrant,
  invalidScope,
  scopeOfRefresh,
  unauthorizedClient,
  unsupportedGrantType,
} from './errors.ts';
import { type Form, readForm, required, requireNoResource } from './form.ts';

export interface TokenEndpointOptions extends ClientAuthentication {
  refresh: Refresh;
  clientCredentials: ClientCredentials;
  deliveries: RefreshDeliveries;
  loggerOf(request: Request): Logger;
}

/** RFC 6749, section 5.1. */
interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** In seconds. */
  expires_in: number;
  refresh_token?: string;
  scope?: string;
}

/** Tokens of printable ASCII without quotes and backslashes, separated by single spaces (RFC 6749, section 3.3). */
const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** `POST /oauth/token` (RFC 6749, sections 4.4 and 6; without resource indicators, RFC 8707). */
export function tokenEndpoint(options: TokenEndpointOptions): RequestHandler {
  return async (request, response) => {
    const form = readForm(request);
    const grants: Readonly<Record<string, () => Promise<TokenResponse>>> = {
      refresh_token: () => refreshGrant(options, request, response, form),
      client_credentials: () => clientCredentialsGrant(options, request, form),
    };
    const type = required(form, 'grant_type');
    const grant = Object.hasOwn(grants, type) ? grants[type] : undefined;
    if (!grant) throw unsupportedGrantType();
    // Checked before the grant is used, so that a refresh token stays valid.
    requireNoResource(form);
    response.json(await grant());
  };
}

async function refreshGrant(
  options: TokenEndpointOptions,
  request: Request,
  response: Response,
  form: Form,
): Promise<TokenResponse> {
  const { refresh, deliveries, originOf, loggerOf } = options;
  // Refresh tokens belong to the login, whose clients have no secret.
  if (await authenticate(request, form, options)) throw unauthorizedClient();
  const token = required(form, 'refresh_token');
  if (form.has('scope')) throw scopeOfRefresh();
  const result = await refresh({ refresh_token: token }, originOf(request));
  if (result.outcome === 'success') {
    const { tokens, account, sessionId, spent } = result;
    deliveries.follow(spent, response);
    const { tenantId, userId } = account;
    loggerOf(request).info(
      { event: 'refresh.succeeded', outcome: 'success', tenant_id: tenantId, user_id: userId, session_id: sessionId },
      'refresh',
    );
    return {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: tokens.expiresIn,
      refresh_token: tokens.refreshToken,
    };
  }
  if (result.outcome === 'reused') {
    const { tenantId, userId, sessionId } = result;
    loggerOf(request).warn(
      {
        event: 'refresh.reuse_detected',
        outcome: 'reused',
        tenant_id: tenantId,
        user_id: userId,
        session_id: sessionId,
      },
      'refresh',
    );
  } else loggerOf(request).info({ event: 'refresh.refused', outcome: result.outcome }, 'refresh');
  throw invalidGrant();
}

async function clientCredentialsGrant(
  options: TokenEndpointOptions,
  request: Request,
  form: Form,
): Promise<TokenResponse> {
  const { clientCredentials, originOf, loggerOf } = options;
  const client = await authenticateAlways(request, form, options);
  const scope = form.get('scope');
  if (scope !== undefined && !SCOPE_LIST.test(scope)) throw invalidScope();
  const result = await clientCredentials(client, scope, originOf(request));
  const { tenantId, clientId } = client;
  const event: LogEvent = result.outcome === 'success' ? 'client_token.succeeded' : 'client_token.refused';
  loggerOf(request).info(
    { event, outcome: result.outcome, tenant_id: tenantId, client_id: clientId },
    'client credentials',
  );
  if (result.outcome === 'refused') throw result.reason === 'scope' ? invalidScope() : invalidClient();
  return {
    access_token: result.accessToken,
    token_type: 'Bearer',
    expires_in: result.expiresIn,
    ...(result.scope !== undefined && { scope: result.scope }),
  };
}
