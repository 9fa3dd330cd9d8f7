import type { Request } from 'express';
import {
  type AuthenticateClient,
  type ClientAccount,
  FIRST_PARTY_CLIENT,
  type RequestOrigin,
} from '../use-cases/index.ts';
import { clientAuthenticationRequired, invalidClient, severalAuthentications, tooManyAttempts } from './errors.ts';
import type { Form } from './form.ts';

const BASIC = /^basic +(?<credentials>[A-Za-z0-9+/_-]+={0,2}) *$/i;

/** The dependencies of client authentication. */
export interface ClientAuthentication {
  authenticateClient: AuthenticateClient;
  /** Returns the origin of a request. */
  originOf(request: Request): RequestOrigin;
}

interface PresentedSecret {
  clientId: string;
  secret: string;
}

/**
 * Authenticates the client of a request (RFC 6749, section 2.3.1), by HTTP Basic or in the form. Returns undefined for a
 * request without a secret, which clients of the service's own login send.
 *
 * @throws OAuthError `invalid_client` if the client is unknown or its secret wrong, `invalid_request` for two secrets,
 * `slow_down` after too many wrong ones.
 */
export async function authenticate(
  request: Request,
  form: Form,
  { authenticateClient, originOf }: ClientAuthentication,
): Promise<ClientAccount | undefined> {
  const shown = credentialsOf(request.headers.authorization, form);
  if (!shown) return undefined;
  const client = await authenticateClient(shown.clientId, shown.secret, originOf(request));
  if (!client) throw invalidClient();
  if ('outcome' in client) throw tooManyAttempts(client.retryAfterSeconds);
  return client;
}

/** Like `authenticate`, for endpoints that require a secret. */
export async function authenticateAlways(
  request: Request,
  form: Form,
  authentication: ClientAuthentication,
): Promise<ClientAccount> {
  const client = await authenticate(request, form, authentication);
  if (!client) throw clientAuthenticationRequired();
  return client;
}

function credentialsOf(authorization: string | undefined, form: Form): PresentedSecret | undefined {
  const clientId = form.get('client_id');
  const secret = form.get('client_secret');
  // Other schemes do not authenticate a client: browsers and libraries add bearer tokens to every request.
  if (authorization !== undefined && /^basic\b/i.test(authorization)) {
    const shown = readBasic(authorization);
    if (secret !== undefined || (clientId !== undefined && clientId !== shown.clientId)) throw severalAuthentications();
    return shown;
  }
  if (secret !== undefined) {
    if (clientId === undefined) throw invalidClient();
    return { clientId, secret };
  }
  if (clientId !== undefined && clientId !== FIRST_PARTY_CLIENT) throw invalidClient();
  return undefined;
}

/** Both parts are form-encoded before they are joined and encoded in base64 (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): PresentedSecret {
  const encoded = BASIC.exec(authorization)?.groups?.credentials ?? '';
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw invalidClient();
  try {
    return { clientId: decodeForm(text.slice(0, colon)), secret: decodeForm(text.slice(colon + 1)) };
  } catch {
    throw invalidClient();
  }
}

function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
