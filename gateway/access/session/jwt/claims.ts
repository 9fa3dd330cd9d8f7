import { invalidToken, missingRoleClaim } from '../errors.ts';
import {
  ALLOWED_ROLES,
  DEFAULT_ROLE_VARIABLE,
  fitsHeader,
  SESSION_VARIABLE_PREFIX,
  sessionVariableProblem,
  variableText,
} from '../session-variables.ts';
import { type ClaimsSource, claimsOf } from './claims-source.ts';

/** The claims of a verified token. */
export interface CallerClaims {
  readonly allowedRoles: readonly string[];
  readonly defaultRole: string;
  /** The other `x-hasura-*` claims as text, by lower-case name. */
  readonly variables: Readonly<Record<string, string>>;
  /** The scopes in `scope`, a text of words (RFC 9068), or in `scp`, a list that some issuers use. */
  readonly scopes: readonly string[];
}

/**
 * Reads the claims of a verified token's payload. Names are case-insensitive. Values other than text are converted: numbers and
 * booleans to their text, lists to a PostgreSQL array literal, objects to JSON.
 *
 * @throws GatewayError with Hasura's codes `jwt-invalid-claims` and `jwt-missing-role-claims`.
 */
export function readClaims(payload: Readonly<Record<string, unknown>>, source: ClaimsSource): CallerClaims {
  const variables: Record<string, string> = Object.create(null);
  let allowedRoles: readonly string[] | undefined;
  let defaultRole: string | undefined;
  for (const [key, value] of Object.entries(claimsOf(payload, source))) {
    const name = key.toLowerCase();
    if (!name.startsWith(SESSION_VARIABLE_PREFIX)) continue;
    if (name === ALLOWED_ROLES) allowedRoles = roleList(value);
    else if (name === DEFAULT_ROLE_VARIABLE) defaultRole = roleName(value);
    else if (value !== null) variables[name] = claimText(key, value);
  }
  if (!allowedRoles) throw missingRoleClaim(ALLOWED_ROLES);
  if (!defaultRole) throw missingRoleClaim(DEFAULT_ROLE_VARIABLE);
  return { allowedRoles, defaultRole, variables, scopes: scopesOf(payload) };
}

function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): readonly string[] {
  const all = [scope ?? scp ?? []].flat().filter((one): one is string => typeof one === 'string');
  return all.flatMap((one) => one.split(' ')).filter(Boolean);
}

function roleList(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return value;
  throw invalidToken(`invalid ${ALLOWED_ROLES}; should be a list of roles`, 'jwt-invalid-claims');
}

function roleName(value: unknown): string {
  if (typeof value === 'string' && value !== '' && fitsHeader(DEFAULT_ROLE_VARIABLE, value)) return value;
  throw invalidToken(`invalid ${DEFAULT_ROLE_VARIABLE}; should be a single role name`, 'jwt-invalid-claims');
}

function claimText(name: string, value: unknown): string {
  const text = variableText(value);
  const problem = sessionVariableProblem(name, text);
  if (problem === undefined) return text;
  throw invalidToken(`x-hasura-* claims: ${problem}`, 'jwt-invalid-claims');
}
