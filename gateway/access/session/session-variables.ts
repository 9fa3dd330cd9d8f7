import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderValue } from '../../../platform/index.ts';

export const SESSION_VARIABLE_PREFIX = 'x-hasura-';
/** The tenant of a caller, as the auth service issues it. */
export const TENANT_VARIABLE = 'x-hasura-tenant-id';
export const ROLE_VARIABLE = 'x-hasura-role';
/** The role with all permissions, as in Hasura. */
export const ADMIN_ROLE = 'admin';
/** The scope of the tokens and assertions of platform operators. The auth service uses the same name. */
export const OPERATOR_SCOPE = 'platform:admin';
export const ALLOWED_ROLES = 'x-hasura-allowed-roles';
export const DEFAULT_ROLE_VARIABLE = 'x-hasura-default-role';

/**
 * Returns a session variable's value as text. Texts stay unchanged, numbers and booleans become their text, lists a PostgreSQL
 * array literal, and objects JSON.
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
 * Returns whether a session variable can be sent as a header. A line break in the value would inject headers into requests to
 * services.
 */
export function fitsHeader(name: string, text: string): boolean {
  return sessionVariableProblem(name, text) === undefined;
}

/** Returns why a session variable cannot be sent as a header, or undefined if it can. */
export function sessionVariableProblem(name: string, text: string): string | undefined {
  if (!/^[\w-]+$/.test(name)) return 'names have letters, digits, - and _ only';
  return isHeaderValue(text) ? undefined : 'control characters are not allowed';
}

/** Decodes a client's header. Node.js provides its bytes as Latin-1, but session variables are UTF-8. */
export function variableOfHeader(value: IncomingHttpHeaders[string]): string | undefined {
  if (value === undefined) return undefined;
  const latin1 = Array.isArray(value) ? value.join(', ') : value;
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
