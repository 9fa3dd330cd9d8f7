import { ApiError, fetchFromGateway, readError } from '../api/index.ts';
import { type Credentials, credentialHeaders } from './credentials.ts';

/**
 * Has the gateway authenticate what was entered, by the smallest operation of any role.
 *
 * @throws ApiError `login-refused` where the gateway rejects it, with its reason for a token; and where it cannot be reached.
 */
export async function requireAccepted(given: Credentials): Promise<void> {
  const response = await fetchFromGateway('v1/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentialHeaders(given, '') },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  const problem = readError(response, await response.json().catch(() => undefined));
  // Any other error, such as a rate limit, is no statement about the credentials: the pages show it.
  if (!problem?.isUnauthenticated) return;
  const reason = given.kind === 'admin-secret' ? '' : problem.message;
  throw new ApiError('login-refused', reason, problem.status, problem.requestId);
}
