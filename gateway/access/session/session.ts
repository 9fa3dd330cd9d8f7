import type { GatewayError } from '../../errors.ts';

/** Whether the credentials or the hook's session of a connection that outlives a request are still valid. */
export interface SessionValidity {
  /** When they expire, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The error once they are expired or revoked; undefined while they are valid. */
  refusal(): GatewayError | undefined;
}

/** The caller: the effective role and the session variables, by Hasura's names. */
export interface Session {
  readonly role: string;
  /** Lower-case `x-hasura-*` names, `x-hasura-role` included, to their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** The same, encoded as HTTP header values, for upstream requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie` that the authentication hook sets on the client. */
  readonly cookies: readonly string[];
  /** The scopes of the caller's token (RFC 9068 section 2.2.3). */
  readonly scopes: readonly string[];
  /** Whether the caller has shown the admin secret. */
  readonly showsAdminSecret: boolean;
  /** Undefined for callers whose credentials neither expire nor can be revoked. */
  readonly validity: SessionValidity | undefined;
}

/** What a session may have besides its role and variables. */
type SessionDetails = Partial<Pick<Session, 'cookies' | 'scopes' | 'validity' | 'showsAdminSecret'>>;

/** Creates a session whose variables are `claims` and the effective role. */
export function createSession(
  role: string,
  claims: Readonly<Record<string, string>>,
  { cookies = [], scopes = [], validity, showsAdminSecret = false }: SessionDetails = {},
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
    showsAdminSecret,
    validity,
  });
}

// Header values are bytes. Node and undici take strings as Latin-1, so UTF-8 bytes are handed over as such.
function asHeaderValue(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
