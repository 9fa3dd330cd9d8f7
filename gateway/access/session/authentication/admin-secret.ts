import type { IncomingHttpHeaders } from 'node:http';
import type { SecretComparison } from '../../../../platform/index.ts';
import { createSession, type Session } from '../session.ts';
import { ADMIN_ROLE, ROLE_VARIABLE, SESSION_VARIABLE_PREFIX, variableOfHeader } from '../session-variables.ts';

/** Headers with the admin secret, in the order of precedence. */
export const ADMIN_SECRET_HEADERS: readonly string[] = ['x-hasura-admin-secret', 'x-hasura-access-key'];

/** The length from which an admin secret cannot be guessed: 32 random hexadecimal digits have 128 bits. */
export const MIN_ADMIN_SECRET_LENGTH = 32;

/** Returns the admin secret of a request without verifying it. */
export function adminSecretIn(headers: IncomingHttpHeaders): string | undefined {
  const name = ADMIN_SECRET_HEADERS.find((candidate) => headers[candidate] !== undefined);
  return name === undefined ? undefined : headers[name]?.toString();
}

/**
 * Returns the session of a caller with the admin secret. The role is the one in `x-hasura-role`, or else `admin`. Every other
 * `x-hasura-*` header except the secret is a session variable.
 *
 * @returns undefined if the secret is wrong.
 */
export function adminSession(
  shown: string,
  expected: SecretComparison,
  headers: IncomingHttpHeaders,
): Session | undefined {
  // Node.js reads header values as Latin-1, but the secret in the settings is UTF-8.
  if (!expected.matches(Buffer.from(shown, 'latin1'))) return undefined;
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(SESSION_VARIABLE_PREFIX) || ADMIN_SECRET_HEADERS.includes(name)) continue;
    variables[name] = variableOfHeader(value) ?? '';
  }
  return createSession(variables[ROLE_VARIABLE] || ADMIN_ROLE, variables, { showsAdminSecret: true });
}
