import type { RequestHandler } from 'express';

const METADATA_MAX_AGE_SECONDS = 300;

/**
 * Serves `GET /.well-known/oauth-authorization-server` (RFC 8414). All URLs are below the issuer's, which is the gateway's
 * public URL. The address of the request is ignored.
 */
export function serverMetadata(issuer: string): RequestHandler {
  const base = issuer.replace(/\/$/, '');
  const withSecret = ['client_secret_basic', 'client_secret_post'];
  const document = {
    issuer,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    revocation_endpoint: `${base}/oauth/revoke`,
    introspection_endpoint: `${base}/oauth/introspect`,
    grant_types_supported: ['refresh_token', 'client_credentials'],
    // Required but empty, since there is no authorization endpoint.
    response_types_supported: [],
    // `none`: the clients of the service's own login, which have refresh tokens and no secret.
    token_endpoint_auth_methods_supported: [...withSecret, 'none'],
    revocation_endpoint_auth_methods_supported: [...withSecret, 'none'],
    introspection_endpoint_auth_methods_supported: withSecret,
  };
  return (_request, response) => {
    response.setHeader('cache-control', `public, max-age=${METADATA_MAX_AGE_SECONDS}`);
    response.json(document);
  };
}
