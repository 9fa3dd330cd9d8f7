/** Additional session variables of a tenant, a role or a user: lower-case `x-hasura-*` names and texts. */
export type ExtraClaims = Readonly<Record<string, string>>;

/** Claims that the service sets itself, and Hasura's names that are not session variables. */
const RESERVED: ReadonlySet<string> = new Set([
  'x-hasura-access-key',
  'x-hasura-admin-secret',
  'x-hasura-allowed-roles',
  'x-hasura-default-role',
  'x-hasura-role',
  'x-hasura-session-id',
  'x-hasura-tenant-id',
  'x-hasura-user-id',
]);

const CLAIM_NAME = /^x-hasura-[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_CLAIM_NAME_LENGTH = 64;
const MAX_VALUE_LENGTH = 512;
const MAX_CLAIMS = 16;
/**
 * A token has the claims of its tenant, its roles and its user. Three full sets fit next to a few roles, and a token that is
 * too long is not issued.
 */
const MAX_SET_BYTES = 1_600;
/** The claims become HTTP headers. */
const CONTROL_OR_SURROGATE = /\p{Cc}|\p{Surrogate}/u;

/** Returns why claims are invalid, without repeating a value, or undefined if they are valid. */
export function problemWithClaims(claims: ExtraClaims): string | undefined {
  const entries = Object.entries(claims);
  if (entries.length > MAX_CLAIMS) return `expected at most ${MAX_CLAIMS} claims`;
  for (const [name, value] of entries) {
    if (!CLAIM_NAME.test(name) || name.length > MAX_CLAIM_NAME_LENGTH)
      return `expected lower-case names such as x-hasura-department with at most ${MAX_CLAIM_NAME_LENGTH} characters`;
    if (RESERVED.has(name)) return `${name} is reserved`;
    if (value.length > MAX_VALUE_LENGTH || CONTROL_OR_SURROGATE.test(value))
      return `${name}: expected a text of at most ${MAX_VALUE_LENGTH} characters without control characters`;
  }
  const bytes = Buffer.byteLength(entries.flat().join(''));
  if (bytes > MAX_SET_BYTES) return `expected names and values with at most ${MAX_SET_BYTES} bytes in UTF-8 in total`;
  return undefined;
}

/**
 * Merges sets of stored claims. Later sets take precedence. Claims that the operators' commands would not store are left out,
 * so that no row can give a caller a claim that only the service may set.
 */
export function mergeClaims(...sets: readonly unknown[]): ExtraClaims {
  const merged: Record<string, string> = Object.create(null);
  for (const set of sets) {
    if (typeof set !== 'object' || set === null) continue;
    for (const [name, value] of Object.entries(set))
      if (typeof value === 'string' && problemWithClaims({ [name]: value }) === undefined) merged[name] = value;
  }
  return merged;
}

/**
 * Returns whether tokens with the `before` claims have a claim that tokens with the `next` claims lack or have with another
 * value.
 */
export function takesAway(before: ExtraClaims, next: ExtraClaims): boolean {
  return Object.entries(before).some(([name, value]) => next[name] !== value);
}
