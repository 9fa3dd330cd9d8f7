import { z } from 'zod';
import { isJsonObject, parseJson, unknownKeyMessage } from '../../../../platform/index.ts';
import { claimsProblem, claimsSettings, claimsSource } from './claims-settings.ts';
import type { ClaimsSource } from './claims-source.ts';
import type { TokenLocation } from './token-location.ts';
import { fixedKey, KEY_TYPES, type VerificationKey } from './verification-key.ts';

/** How tokens are verified, as in Hasura's `HASURA_GRAPHQL_JWT_SECRET`. */
export interface JwtSecret {
  /** A fixed key, or the URL of the issuer's JWKS. */
  readonly source: VerificationKey | { readonly jwkUrl: string };
  /** The location of the token in a request. */
  readonly location: TokenLocation;
  readonly issuer: string | undefined;
  /** The accepted audiences. Undefined if the audience is not checked. */
  readonly audience: readonly string[] | undefined;
  /** The tolerated clock difference in seconds. */
  readonly allowedSkew: number;
  readonly claims: ClaimsSource;
}

// The name of a cookie or a header is a token (RFC 6265 section 4.1.1 and RFC 9110 section 5.1).
const token = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected a name');

const writtenLocationShape = z.strictObject({ type: z.string(), name: token.optional() });

const tokenLocationShape = writtenLocationShape.transform(({ type, name }, context): TokenLocation => {
  const kind = type.toLowerCase();
  if (kind === 'authorization') return { type: 'Authorization' };
  if (kind === 'cookie' || kind === 'customheader') {
    if (name === undefined) context.addIssue('name is required');
    else if (kind === 'cookie') return { type: 'Cookie', name };
    else if (/^(authorization|cookie|x-hasura-.*)$/i.test(name)) context.addIssue('name: expected another header');
    else return { type: 'CustomHeader', name: name.toLowerCase() };
  } else context.addIssue('type: expected Authorization, Cookie or CustomHeader');
  return z.NEVER;
});

const EXAMPLE = '{"type":"HS256","key":"…"} or {"jwk_url":"https://…"}';

const writtenSecretShape = z.strictObject({
  type: z.enum(KEY_TYPES).optional(),
  key: z.string().min(1).optional(),
  jwk_url: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }).optional(),
  issuer: z.string().min(1).optional(),
  audience: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  allowed_skew: z.number().int().min(0).max(3600).default(0),
  header: tokenLocationShape.default({ type: 'Authorization' }),
  ...claimsSettings,
});

const jwtSecretShape = writtenSecretShape.transform((secret, context): JwtSecret => {
  const { type, key, jwk_url: jwkUrl, audience } = secret;
  const problems: string[] = [];
  if (!key && !jwkUrl) problems.push('key and jwk_url both cannot be empty');
  if (key && jwkUrl) problems.push('key, jwk_url both cannot be present');
  if (key && !type) problems.push('type is required with key');
  const clash = claimsProblem(secret);
  if (clash) problems.push(clash);
  const fixed = key && type ? fixedKey(type, key) : undefined;
  if (fixed && 'problem' in fixed) problems.push(fixed.problem);
  for (const problem of problems) context.addIssue(problem);
  if (problems.length > 0) return z.NEVER;
  return {
    source: fixed && 'key' in fixed ? fixed : { jwkUrl: jwkUrl ?? '' },
    location: secret.header,
    issuer: secret.issuer,
    audience: typeof audience === 'string' ? [audience] : audience,
    allowedSkew: secret.allowed_skew,
    claims: claimsSource(secret),
  };
});

/**
 * Reads the JSON of `HASURA_GRAPHQL_JWT_SECRET`.
 *
 * @returns the secret, or all problems. The text is never quoted, since it may contain a key.
 */
export function parseJwtSecret(text: string): JwtSecret | { problem: string } {
  const json = parseJson(text);
  return isJsonObject(json) ? readSecret(json) : { problem: `expected a JSON object such as ${EXAMPLE}` };
}

/**
 * Reads the JSON of `HASURA_GRAPHQL_JWT_SECRETS`, a list of secrets.
 *
 * @returns the secrets, or all problems of each by its position.
 */
export function parseJwtSecrets(text: string): readonly JwtSecret[] | { problem: string } {
  const json = parseJson(text);
  if (!Array.isArray(json) || json.length === 0) return { problem: `expected a JSON list such as [${EXAMPLE}]` };
  const secrets: JwtSecret[] = [];
  const problems: string[] = [];
  for (const [index, item] of json.entries()) {
    const secret = isJsonObject(item) ? readSecret(item) : { problem: 'expected an object' };
    if ('problem' in secret) problems.push(`[${index}]: ${secret.problem}`);
    else secrets.push(secret);
  }
  return problems.length > 0 ? { problem: problems.join('; ') } : secrets;
}

function readSecret(json: Readonly<Record<string, unknown>>): JwtSecret | { problem: string } {
  // As in Hasura, null counts as absent.
  const parsed = jwtSecretShape.safeParse(
    Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null)),
  );
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => {
    const messages = issue.code === 'unrecognized_keys' ? unknownMembers(issue.keys, issue.path) : [issue.message];
    return messages.map((message) => [issue.path.join('.'), message].filter(Boolean).join(': '));
  });
  return { problem: problems.join('; ') };
}

function unknownMembers(keys: readonly string[], path: readonly PropertyKey[]): readonly string[] {
  const { shape } = path[0] === 'header' ? writtenLocationShape : writtenSecretShape;
  return keys.map((key) => unknownKeyMessage(key, Object.keys(shape)));
}
