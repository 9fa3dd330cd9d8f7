import type { GatewayError } from '../errors.ts';

/** Whether credentials, or what a hook said of them, that were good still are, for a connection that outlives a request. */
export interface Standing {
  /** When they expire, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Why they let nobody in any more; undefined while they do. */
  refusal(): GatewayError | undefined;
}

/** Who is calling: the role in force and the session variables, the way Hasura calls them. */
export interface Session {
  readonly role: string;
  /** Lower-case `x-hasura-*` names, `x-hasura-role` included, to their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** The same, encoded as HTTP header values, for upstream requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie` that whoever authenticated the caller wants the client to have. */
  readonly cookies: readonly string[];
  /** The scopes of the caller's token (RFC 9068 section 2.2.3). */
  readonly scopes: readonly string[];
  /** Undefined for callers who are not let in by anything that could expire or be revoked. */
  readonly standing: Standing | undefined;
}

/** A session whose variables are `claims` with the role in force put in. */
export function createSession(
  role: string,
  claims: Readonly<Record<string, string>>,
  cookies: readonly string[] = [],
  scopes: readonly string[] = [],
  standing?: Standing,
): Session {
  const variables: Record<string, string> = { ...claims, 'x-hasura-role': role };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) headers[name] = asHeaderValue(value);
  return Object.freeze({
    role,
    variables: Object.freeze(variables),
    headers: Object.freeze(headers),
    cookies,
    scopes,
    standing,
  });
}

// Header values are bytes. Node and undici take strings as Latin-1, so UTF-8 bytes are handed over as such.
function asHeaderValue(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
