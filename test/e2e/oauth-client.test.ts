import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { availableEngines } from '../database/index.ts';
import { type OAuthWorld, openOAuthWorld } from './oauth.ts';

const CLAIMS = 'https://hasura.io/jwt/claims';
/** The gateway of a test speaks plain HTTP; in front of a real one stands TLS. */
const insecure = { [oauth.allowInsecureRequests]: true };
/** The clients of the login have no secret. */
const LOGIN_CLIENT: oauth.Client = { client_id: 'portico' };

describe.each(await availableEngines())('a foreign OAuth client at the gateway, on %s', (engine) => {
  let o: OAuthWorld;
  let server: oauth.AuthorizationServer;
  let aliceId: string;

  beforeAll(async () => {
    o = await openOAuthWorld(engine);
    aliceId = await o.world.addUser(1, 'alice', 'alice at acme');
    const url = new URL(o.issuer);
    const response = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
    server = await oauth.processDiscoveryResponse(url, response);
  });
  afterAll(() => o.close());

  async function loginTokens() {
    const { body } = await o.world.service.login({ username: 'alice', password: 'alice at acme', tenant_id: 1 });
    const tokens = body.data?.auth_user_login?.data;
    if (!tokens) throw new Error('the login was refused');
    return tokens;
  }

  async function refreshed(refreshToken: string) {
    const response = await oauth.refreshTokenGrantRequest(server, LOGIN_CLIENT, oauth.None(), refreshToken, insecure);
    return oauth.processRefreshTokenResponse(server, LOGIN_CLIENT, response);
  }

  async function clientToken(options: Parameters<OAuthWorld['addClient']>[0] = {}, scope?: string) {
    const { clientId, clientSecret } = await o.addClient(options);
    const client = { client_id: clientId };
    const auth = oauth.ClientSecretBasic(clientSecret);
    const parameters = new URLSearchParams(scope === undefined ? {} : { scope });
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, parameters, insecure);
    return {
      client,
      auth,
      clientSecret,
      tokens: await oauth.processClientCredentialsResponse(server, client, response),
    };
  }

  /** Checks an access token as a resource server would: signature by the published keys, RFC 9068 claims. */
  async function validated(token: string) {
    const request = new Request(`${o.issuer}/api/anything`, { headers: { authorization: `Bearer ${token}` } });
    return oauth.validateJwtAccessToken(server, request, 'portico', insecure);
  }

  async function introspected(token: string, client: oauth.Client, auth: oauth.ClientAuth) {
    const response = await oauth.introspectionRequest(server, client, auth, token, insecure);
    return oauth.processIntrospectionResponse(server, client, response);
  }

  const ordersStatus = async (token: string) =>
    (await fetch(`${o.issuer}/api/orders`, { headers: { authorization: `Bearer ${token}` } })).status;

  test('discovers the endpoints at the gateway’s public address', () => {
    expect(server).toEqual({
      issuer: o.issuer,
      token_endpoint: `${o.issuer}/oauth/token`,
      jwks_uri: `${o.issuer}/.well-known/jwks.json`,
      revocation_endpoint: `${o.issuer}/oauth/revoke`,
      introspection_endpoint: `${o.issuer}/oauth/introspect`,
      grant_types_supported: ['refresh_token', 'client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
  });

  test('refreshes the tokens of a login', async () => {
    const { refresh_token } = await loginTokens();
    const tokens = await refreshed(refresh_token);

    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(tokens.refresh_token).not.toBe(refresh_token);
    expect(await validated(tokens.access_token)).toMatchObject({ sub: aliceId, client_id: 'portico', tenant_id: 1 });
    expect(await ordersStatus(tokens.access_token)).toBe(200);
  });

  test('gets invalid_grant for an invalid refresh token', async () => {
    await expect(refreshed('00000000-0000-0000-0000-000000000000')).rejects.toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
  });

  test('gets a token of its own with the secret, by Basic or in the form', async () => {
    const { client, clientSecret, tokens } = await clientToken({ roles: ['service', 'auditor'] });
    expect(tokens).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 900 });

    const post = oauth.ClientSecretPost(clientSecret);
    const response = await oauth.clientCredentialsGrantRequest(server, client, post, {}, insecure);
    const posted = await oauth.processClientCredentialsResponse(server, client, response);
    for (const { access_token } of [tokens, posted]) {
      const claims = await validated(access_token);
      expect(claims).toMatchObject({ sub: client.client_id, client_id: client.client_id, tenant_id: 1 });
      expect(claims[CLAIMS]).toEqual({
        'x-hasura-allowed-roles': ['service', 'auditor'],
        'x-hasura-default-role': 'service',
        'x-hasura-user-id': client.client_id,
        'x-hasura-tenant-id': '1',
      });
    }
    expect(await ordersStatus(tokens.access_token)).toBe(200);
    expect(o.orders.requests.at(-1)?.headers).toMatchObject({
      'x-hasura-role': 'service',
      'x-hasura-tenant-id': '1',
      'x-hasura-user-id': client.client_id,
    });
  });

  test('gets the scopes that it asks for, all of its own when it asks for none, and never others', async () => {
    const scopes = ['orders:read', 'orders:write'];
    expect((await clientToken({ scopes }, 'orders:read')).tokens.scope).toBe('orders:read');
    const all = (await clientToken({ scopes })).tokens;
    expect(all.scope).toBe('orders:read orders:write');
    expect(await validated(all.access_token)).toMatchObject({ scope: 'orders:read orders:write' });
    await expect(clientToken({ scopes }, 'orders:read admin')).rejects.toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
  });

  test('is rejected with a wrong secret', async () => {
    const { clientId } = await o.addClient();
    const auth = oauth.ClientSecretBasic('wrong');
    const response = await oauth.clientCredentialsGrantRequest(server, { client_id: clientId }, auth, {}, insecure);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="portico", charset="UTF-8"');
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });

  test('learns of a login’s tokens in its own tenant what they are, and of others nothing', async () => {
    const { client, auth } = await clientToken();
    const foreign = await clientToken({ tenantId: 2 });
    const { access_token, refresh_token } = await loginTokens();

    expect(await introspected(access_token, client, auth)).toEqual({
      active: true,
      client_id: 'portico',
      sub: aliceId,
      tenant_id: 1,
      username: 'alice',
      token_type: 'Bearer',
      iss: o.issuer,
      aud: 'portico',
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect(await introspected(refresh_token, client, auth)).toEqual({
      active: true,
      client_id: 'portico',
      sub: aliceId,
      tenant_id: 1,
      username: 'alice',
      iss: o.issuer,
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    for (const token of [access_token, refresh_token, 'unknown', 'a.b.c', `${access_token}x`])
      expect(await introspected(token, foreign.client, foreign.auth)).toEqual({ active: false });
  });

  test('revokes a login by its refresh token or its access token', async () => {
    const { client, auth } = await clientToken();
    for (const kind of ['refresh_token', 'access_token'] as const) {
      const tokens = await loginTokens();
      expect((await introspected(tokens.access_token, client, auth)).active).toBe(true);

      const response = await oauth.revocationRequest(server, LOGIN_CLIENT, oauth.None(), tokens[kind], insecure);
      await oauth.processRevocationResponse(response);

      for (const token of [tokens.access_token, tokens.refresh_token])
        expect(await introspected(token, client, auth)).toEqual({ active: false });
      await expect(refreshed(tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
    }
  });

  test('revokes one of its own tokens and keeps the others', async () => {
    const { client, auth, tokens } = await clientToken();
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, {}, insecure);
    const other = await oauth.processClientCredentialsResponse(server, client, response);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, tokens.access_token, insecure),
    );

    expect(await introspected(tokens.access_token, client, auth)).toEqual({ active: false });
    expect((await introspected(other.access_token, client, auth)).active).toBe(true);
  });

  test('cannot revoke a token of another client, and gets no hint that it exists', async () => {
    const one = await clientToken();
    const two = await clientToken();
    const { access_token, refresh_token } = await loginTokens();
    for (const token of [one.tokens.access_token, access_token, refresh_token, 'unknown']) {
      const response = await oauth.revocationRequest(server, two.client, two.auth, token, insecure);
      expect([response.status, await response.text()]).toEqual([200, '{}']);
    }
    // Nor can whoever has no secret revoke a service account's.
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, LOGIN_CLIENT, oauth.None(), one.tokens.access_token, insecure),
    );
    for (const token of [one.tokens.access_token, access_token, refresh_token])
      expect((await introspected(token, two.client, two.auth)).active).toBe(true);
  });
});
