import type { Request, RequestHandler } from 'express';
import type { Logger } from '../../platform/index.ts';
import type { ActiveToken, Introspect, RevokeToken } from '../use-cases/index.ts';
import { authenticate, authenticateAlways, type ClientAuthentication } from './client-authentication.ts';
import { readForm, required } from './form.ts';

export interface RevocationEndpointOptions extends ClientAuthentication {
  revokeToken: RevokeToken;
  loggerOf(request: Request): Logger;
}

/**
 * Handles `POST /oauth/revoke` (RFC 7009). The response is the same for a token that is unknown, belongs to another user, or
 * has already ended. `token_type_hint` is accepted but not needed, since the two kinds of tokens have different forms.
 */
export function revocationEndpoint(options: RevocationEndpointOptions): RequestHandler {
  const { revokeToken, originOf, loggerOf } = options;
  return async (request, response) => {
    const form = readForm(request);
    const client = await authenticate(request, form, options);
    const { revoked } = await revokeToken(required(form, 'token'), client, originOf(request));
    loggerOf(request).info(
      { event: 'token_revocation.completed', revoked, ...(client && { client_id: client.clientId }) },
      'token revocation',
    );
    // The body has no meaning (RFC 7009 section 2.2), but some clients parse every body as JSON.
    response.json({});
  };
}

export interface IntrospectionEndpointOptions extends ClientAuthentication {
  introspect: Introspect;
  /** `iss` and `aud` of access tokens. */
  issuer: string;
  audience: string;
}

/** Handles `POST /oauth/introspect` (RFC 7662), for service accounts, about tokens of their own tenant. */
export function introspectionEndpoint(options: IntrospectionEndpointOptions): RequestHandler {
  const { introspect, issuer, audience } = options;
  return async (request, response) => {
    const form = readForm(request);
    const client = await authenticateAlways(request, form, options);
    const token = await introspect(required(form, 'token'), client);
    response.json(token ? introspectionResponse(token, issuer, audience) : { active: false });
  };
}

function introspectionResponse(token: ActiveToken, issuer: string, audience: string) {
  const isAccessToken = token.tokenType === 'Bearer';
  return {
    active: true,
    client_id: token.clientId,
    sub: token.subject,
    tenant_id: token.tenantId,
    ...(token.username !== undefined && { username: token.username }),
    ...(token.scope !== undefined && { scope: token.scope }),
    // RFC 7662 uses the type of RFC 6749, section 5.1, which a refresh token does not have.
    ...(isAccessToken && { token_type: 'Bearer', aud: audience, jti: token.tokenId }),
    iss: issuer,
    iat: token.issuedAt,
    exp: token.expiresAt,
  };
}
