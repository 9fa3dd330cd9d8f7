import type { GatewayError } from '../../errors.ts';

/** The validity of the credentials, or of the hook's session, for a connection that outlives a request. */
export interface SessionValidity {
  /** When the credentials expire, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Returns the error once the credentials have expired or were revoked, or undefined while they are valid. */
  refusal(): GatewayError | undefined;
}

/** The caller: the effective role and the session variables, with Hasura's names. */
export interface Session {
  readonly role: string;
  /** The session variables by lower-case `x-hasura-*` name, including `x-hasura-role`. */
  readonly variables: Readonly<Record<string, string>>;
  /** The session variables, encoded as HTTP header values for upstream requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie` that the authentication hook sets on the client. */
  readonly cookies: readonly string[];
  /** The scopes of the caller's token (RFC 9068 section 2.2.3). */
  readonly scopes: readonly string[];
  /** Whether the caller has sent the admin secret. */
  readonly showsAdminSecret: boolean;
  /** Undefined for callers whose credentials neither expire nor can be revoked. */
  readonly validity: SessionValidity | undefined;
}

/** Optional properties of a session. */
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

// Header values are bytes. Node.js and undici encode strings as Latin-1, so this returns the UTF-8 bytes as Latin-1 text.
function asHeaderValue(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
