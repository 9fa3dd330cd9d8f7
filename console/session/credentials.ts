import type { ServiceAccount } from './service-account.ts';
import { unverifiedPayload } from './unverified-token.ts';

/** How requests of the console are authenticated. All of it is in memory only; a login's refresh token is not even there. */
export type Credentials =
  | {
      readonly kind: 'login';
      readonly accessToken: string;
      /** By this machine's clock, in milliseconds since the epoch. */
      readonly expiresAt: number;
      readonly claims: Claims;
    }
  | {
      readonly kind: 'service-account';
      readonly account: ServiceAccount;
      readonly accessToken: string;
      /** By this machine's clock, in milliseconds since the epoch. */
      readonly expiresAt: number;
      readonly claims: Claims;
    }
  | { readonly kind: 'token'; readonly accessToken: string; readonly claims: Claims }
  | { readonly kind: 'admin-secret'; readonly secret: string };

/** What an access token says of its owner. */
export interface Claims {
  readonly roles: readonly string[];
  readonly defaultRole: string;
  readonly userId: string | undefined;
  readonly tenantId: string | undefined;
}

const HASURA_CLAIMS = 'https://hasura.io/jwt/claims';

/** Reads a JWT without verifying it: the gateway does that with every request. @returns undefined where it is none. */
export function unverifiedClaims(accessToken: string): Claims | undefined {
  try {
    const payload = unverifiedPayload(accessToken);
    if (payload === undefined) return undefined;
    const { [HASURA_CLAIMS]: claims } = payload;
    const given = (typeof claims === 'string' ? JSON.parse(claims) : (claims ?? {})) as Record<string, unknown>;
    const roles = given['x-hasura-allowed-roles'];
    const defaultRole = given['x-hasura-default-role'];
    return {
      roles: Array.isArray(roles) ? roles.map(String) : [],
      defaultRole: typeof defaultRole === 'string' ? defaultRole : '',
      userId: textOfClaim(given['x-hasura-user-id']),
      tenantId: textOfClaim(given['x-hasura-tenant-id']),
    };
  } catch {
    return undefined;
  }
}

function textOfClaim(value: unknown): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

/** Whether the token says which user of which tenant its owner is. */
export function namesUser({ tenantId, userId }: Claims): boolean {
  return tenantId !== undefined && userId !== undefined;
}

/** Whose session it is. Differs for each user, for each way of logging in, and each time where no user is named. */
export function userOf(given: Credentials): string {
  const { kind } = given;
  if (kind === 'admin-secret') return kind;
  if (kind === 'service-account') return JSON.stringify([kind, given.account.clientId]);
  const { tenantId, userId } = given.claims;
  return JSON.stringify(namesUser(given.claims) ? [kind, tenantId, userId] : [kind, Date.now(), Math.random()]);
}

/** The headers that authenticate a request, with the role that it is made with. */
export function credentialHeaders(
  credentials: Credentials | undefined,
  role: string,
): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const picked: Record<string, string> = role === '' ? {} : { 'x-hasura-role': role };
  if (credentials.kind === 'admin-secret') return { 'x-hasura-admin-secret': credentials.secret, ...picked };
  return { authorization: `Bearer ${credentials.accessToken}`, ...picked };
}
