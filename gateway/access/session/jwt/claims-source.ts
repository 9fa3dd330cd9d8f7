import { isJsonObject, parseJson } from '../../../../platform/index.ts';
import { invalidToken, missingRoleClaim } from '../errors.ts';
import { ALLOWED_ROLES, DEFAULT_ROLE_VARIABLE } from '../session-variables.ts';
import { type JsonPath, valueAt } from './json-path.ts';

export type ClaimsFormat = 'json' | 'stringified_json';

/** The source of a session variable in a `claims_map`: a fixed value, or a path in the token's payload. */
export type ClaimRule =
  | { readonly value: unknown }
  /** `default` applies if the token has no value at the path. If it is undefined, such a token is rejected. */
  | { readonly path: JsonPath; readonly default: unknown };

/** The location of the `x-hasura-*` claims in a token, as the `claims_*` settings of a JWT secret define it. */
export type ClaimsSource =
  | { readonly kind: 'namespace'; readonly key: string; readonly format: ClaimsFormat }
  | { readonly kind: 'path'; readonly path: JsonPath; readonly format: ClaimsFormat }
  | { readonly kind: 'map'; readonly rules: ReadonlyMap<string, ClaimRule>; readonly format: ClaimsFormat };

type Payload = Readonly<Record<string, unknown>>;

/**
 * Returns the unconverted claims of a verified token.
 *
 * @throws GatewayError `jwt-invalid-claims` if the claims are not at their location.
 */
export function claimsOf(payload: Payload, source: ClaimsSource): Payload {
  if (source.kind === 'map') return mappedClaims(payload, source);
  const found = source.kind === 'path' ? valueAt(payload, source.path) : payloadMember(payload, source.key);
  if (found === undefined)
    throw rejectedClaims(
      source.kind === 'path'
        ? `claims not found at claims_namespace_path: '${source.path.text}'`
        : `claims key: '${source.key}' not found`,
    );
  if (source.format === 'json') {
    if (isJsonObject(found)) return found;
    throw rejectedClaims('expecting a json object when claims_format is json');
  }
  if (typeof found !== 'string') throw rejectedClaims('expecting a string when claims_format is stringified_json');
  const claims = parseJson(found);
  if (isJsonObject(claims)) return claims;
  const location =
    source.kind === 'path' ? `claims_namespace_path ${source.path.text}` : `claims_namespace ${source.key}`;
  throw rejectedClaims(`expecting stringified json at: '${location}'`);
}

function mappedClaims(payload: Payload, { rules, format }: ClaimsSource & { kind: 'map' }): Payload {
  const claims: Record<string, unknown> = Object.create(null);
  for (const [name, rule] of rules) {
    if ('value' in rule) {
      claims[name] = rule.value;
      continue;
    }
    const value = valueAt(payload, rule.path) ?? rule.default;
    if (value !== undefined) claims[name] = name === ALLOWED_ROLES ? rolesClaim(value, format) : value;
    else if (name === ALLOWED_ROLES || name === DEFAULT_ROLE_VARIABLE) throw missingRoleClaim(name);
    else throw rejectedClaims(`JWT claim from claims_map, ${name} not found`);
  }
  return claims;
}

// Issuers that can only add texts to tokens write a list of roles as JSON text.
function rolesClaim(value: unknown, format: ClaimsFormat): unknown {
  return format === 'stringified_json' && typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

function payloadMember(payload: Payload, key: string): unknown {
  return Object.hasOwn(payload, key) ? payload[key] : undefined;
}

function rejectedClaims(reason: string) {
  return invalidToken(reason, 'jwt-invalid-claims');
}
