import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { wrongAdminSecret } from './refusals.ts';
import { createSession, type Session } from './session.ts';
import { headerText, ROLE, SESSION_VARIABLE_PREFIX } from './session-variables.ts';

/** Headers that hold the admin secret, the one that counts first. */
export const ADMIN_SECRET_HEADERS: readonly string[] = ['x-hasura-admin-secret', 'x-hasura-access-key'];
const DEFAULT_ROLE = 'admin';

/** What a request shows as the admin secret, not judged yet. */
export function adminSecretIn(headers: IncomingHttpHeaders): string | undefined {
  const name = ADMIN_SECRET_HEADERS.find((candidate) => headers[candidate] !== undefined);
  return name === undefined ? undefined : headers[name]?.toString();
}

/**
 * The session of a caller who shows the admin secret: the role that `x-hasura-role` names, else `admin`, with every
 * other `x-hasura-*` header as a session variable. The secret itself is none.
 *
 * @throws GatewayError 401 `access-denied` when it is not the right one.
 */
export function adminSession(shown: string, expected: string, headers: IncomingHttpHeaders): Session {
  if (!timingSafeEqual(digest(Buffer.from(shown, 'latin1')), digest(Buffer.from(expected, 'utf8'))))
    throw wrongAdminSecret();
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(SESSION_VARIABLE_PREFIX) || ADMIN_SECRET_HEADERS.includes(name)) continue;
    variables[name] = headerText(value) ?? '';
  }
  return createSession(variables[ROLE] || DEFAULT_ROLE, variables);
}

// Of digests, equally long whatever the secret is, a comparison in constant time tells nothing, not even its length.
function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
