import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { wrongAdminSecret } from './refusals.ts';
import { createSession, type Session } from './session.ts';
import { headerText, ROLE, SESSION_VARIABLE_PREFIX } from './session-variables.ts';

/** Headers that hold the admin secret, the one that counts first. */
const ADMIN_SECRET_HEADERS = ['x-hasura-admin-secret', 'x-hasura-access-key'] as const;
const DEFAULT_ROLE = 'admin';

/** What a request shows as the admin secret, not judged yet. */
export function adminSecretIn(headers: IncomingHttpHeaders): string | undefined {
  const [first, second] = ADMIN_SECRET_HEADERS;
  return (headers[first] ?? headers[second])?.toString();
}

/**
 * The session of a caller who shows the admin secret: the role that `x-hasura-role` names, else `admin`, with every
 * other `x-hasura-*` header as a session variable. The secret itself is none.
 *
 * @param expected undefined when there is no admin access: then no secret is right.
 * @throws GatewayError 401 `access-denied` when it is not the right one.
 */
export function adminSession(shown: string, expected: string | undefined, headers: IncomingHttpHeaders): Session {
  const same = timingSafeEqual(digest(Buffer.from(shown, 'latin1')), digest(Buffer.from(expected ?? '', 'utf8')));
  if (!same || !expected) throw wrongAdminSecret();
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(SESSION_VARIABLE_PREFIX) || (ADMIN_SECRET_HEADERS as readonly string[]).includes(name))
      continue;
    variables[name] = headerText(value) ?? '';
  }
  return createSession(variables[ROLE] || DEFAULT_ROLE, variables);
}

// Of digests, equally long whatever the secret is, a comparison in constant time tells nothing, not even its length.
function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
