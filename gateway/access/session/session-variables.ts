import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderValue } from '../../../platform/index.ts';

export const SESSION_VARIABLE_PREFIX = 'x-hasura-';
/** The tenant of a caller, as the auth service issues it. */
export const TENANT_VARIABLE = 'x-hasura-tenant-id';
export const ROLE_VARIABLE = 'x-hasura-role';
/** The role that may do everything, as in Hasura. */
export const ADMIN_ROLE = 'admin';
/** The scope of platform operators' tokens and assertions; the auth service has the same name for it. */
export const OPERATOR_SCOPE = 'platform:admin';
export const ALLOWED_ROLES = 'x-hasura-allowed-roles';
export const DEFAULT_ROLE_VARIABLE = 'x-hasura-default-role';

/**
 * A session variable's value as text: texts, numbers and booleans as they are, lists as a PostgreSQL array literal,
 * objects as JSON.
 */
export function variableText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `{${value.map(arrayItem).join(',')}}`;
  return JSON.stringify(value);
}

function arrayItem(value: unknown): string {
  return value === null ? 'NULL' : `"${variableText(value).replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Whether a session variable can be sent as a header. A line break in its value would inject headers into every request
 * to services.
 */
export function fitsHeader(name: string, text: string): boolean {
  return sessionVariableProblem(name, text) === undefined;
}

/** Why a session variable cannot be sent as a header; undefined where it can. */
export function sessionVariableProblem(name: string, text: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'names have letters, digits, - and _ only';
  return isHeaderValue(text) ? undefined : 'control characters are not allowed';
}

/** The text of a header that a client sent. Node gives its bytes as Latin-1; session variables are UTF-8. */
export function variableOfHeader(value: IncomingHttpHeaders[string]): string | undefined {
  if (value === undefined) return undefined;
  const latin1 = Array.isArray(value) ? value.join(', ') : value;
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
