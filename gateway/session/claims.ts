import { invalidToken } from './refusals.ts';

/** What a verified token says about its caller. */
export interface CallerClaims {
  readonly allowedRoles: readonly string[];
  readonly defaultRole: string;
  /** The other `x-hasura-*` claims, names in lower case, values as text. */
  readonly variables: Readonly<Record<string, string>>;
}

const ALLOWED_ROLES = 'x-hasura-allowed-roles';
const DEFAULT_ROLE = 'x-hasura-default-role';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header value must not hold
const UNSAFE_IN_HEADER = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Reads the claims under `namespace` of a verified token's payload. Names count in any case. Values that are no text
 * are written as one: numbers and booleans as they are, lists as a PostgreSQL array literal, objects as JSON.
 *
 * @throws GatewayError with Hasura's codes `jwt-invalid-claims` and `jwt-missing-role-claims`.
 */
export function readClaims(payload: Readonly<Record<string, unknown>>, namespace: string): CallerClaims {
  const claims = Object.hasOwn(payload, namespace) ? payload[namespace] : undefined;
  if (claims === undefined) throw invalidToken(`claims key: '${namespace}' not found`, 'jwt-invalid-claims');
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    throw invalidToken('expecting a json object when claims_format is json', 'jwt-invalid-claims');

  const variables: Record<string, string> = Object.create(null);
  let allowedRoles: readonly string[] | undefined;
  let defaultRole: string | undefined;
  for (const [key, value] of Object.entries(claims)) {
    const name = key.toLowerCase();
    if (!name.startsWith('x-hasura-')) continue;
    if (name === ALLOWED_ROLES) allowedRoles = roleList(value);
    else if (name === DEFAULT_ROLE) defaultRole = roleName(value);
    else if (value !== null) variables[name] = asText(name, value);
  }
  if (!allowedRoles) throw missing(ALLOWED_ROLES);
  if (!defaultRole) throw missing(DEFAULT_ROLE);
  return { allowedRoles, defaultRole, variables };
}

function missing(claim: string) {
  return invalidToken(`JWT claim does not contain ${claim}`, 'jwt-missing-role-claims');
}

function roleList(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return value;
  throw invalidToken(`invalid ${ALLOWED_ROLES}; should be a list of roles`, 'jwt-invalid-claims');
}

function roleName(value: unknown): string {
  if (typeof value === 'string' && value !== '' && !UNSAFE_IN_HEADER.test(value)) return value;
  throw invalidToken(`invalid ${DEFAULT_ROLE}; should be a single role name`, 'jwt-invalid-claims');
}

function asText(name: string, value: unknown): string {
  const text = textOf(value);
  // A line break would let a claim write headers of its own into every upstream request.
  if (UNSAFE_IN_HEADER.test(text) || !/^[\w-]+$/.test(name))
    throw invalidToken('x-hasura-* claims: control characters are not allowed', 'jwt-invalid-claims');
  return text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `{${value.map(arrayItem).join(',')}}`;
  return JSON.stringify(value);
}

function arrayItem(value: unknown): string {
  return value === null ? 'NULL' : `"${textOf(value).replace(/["\\]/g, '\\$&')}"`;
}
