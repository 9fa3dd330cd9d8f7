import { ApiError, fetchFromGateway } from '../api/index.ts';
import type { NewToken } from './kept-session.ts';

/** A program's credential, as which operators administer. */
export interface ServiceAccount {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The addresses of the auth service's OAuth endpoints, below the gateway's. */
const TOKEN_PATH = 'oauth/token';
const REVOKE_PATH = 'oauth/revoke';

/** The auth service's (RFC 6749, section 5.2), or the gateway's, which has its message in `error`. */
interface OauthError {
  readonly error?: string;
  readonly error_description?: string;
}

/**
 * An access token of a service account, by the grant `client_credentials` (RFC 6749, section 4.4).
 *
 * @throws ApiError `login-refused` where the account is refused.
 */
export async function tokenOf(account: ServiceAccount): Promise<NewToken> {
  const response = await post(TOKEN_PATH, account, { grant_type: 'client_credentials' });
  const answer = (await response.json().catch(() => ({}))) as Partial<NewToken> & OauthError;
  const { access_token, expires_in } = answer;
  if (response.ok && access_token !== undefined && expires_in !== undefined) return { access_token, expires_in };
  const isRefusal = response.status === 400 || response.status === 401;
  throw new ApiError(
    isRefusal ? 'login-refused' : 'unexpected',
    isRefusal ? '' : (answer.error_description ?? answer.error ?? `HTTP ${response.status}`),
    response.status,
    response.headers.get('x-request-id') ?? undefined,
  );
}

/** Makes an access token of a service account worthless (RFC 7009). @throws ApiError */
export async function revokeToken(account: ServiceAccount, token: string): Promise<void> {
  const response = await post(REVOKE_PATH, account, { token });
  if (!response.ok) throw new ApiError('unexpected', `HTTP ${response.status}`, response.status);
}

function post(path: string, { clientId, clientSecret }: ServiceAccount, form: Record<string, string>) {
  return fetchFromGateway(path, {
    method: 'POST',
    body: new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret }),
  });
}
