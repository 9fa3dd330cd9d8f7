import { type AuditEntry, type AuditSubject, type Author, PLATFORM } from '../../audit/index.ts';
import type { Database } from '../../database/index.ts';
import { FIRST_PARTY_CLIENT, type VerifiedAccessToken, type VerifyAccessToken } from '../../tokens/index.ts';
import { isClientTokenAlive } from '../clients/index.ts';
import type { IdentifyCaller } from '../identify-caller.ts';
import type { RequestOrigin } from '../login.ts';

/** The scope of service accounts that administer all tenants. Administrators of a tenant cannot assign it. */
export const PLATFORM_SCOPE = 'platform:admin';

/** A caller with the gateway's admin secret, who has no account. */
const GATEWAY_ADMIN = { kind: 'operator', id: 'gateway admin secret' } as const;

/** An administrator and the rights that are used. Created by `createIdentifyAdministrator`, or by an operator's command. */
export type Administrator = PlatformOperator | TenantAdministrator;

/** A use case of administrators. It checks the administrator's rights itself. */
export type AdministrationUseCase<Input, Value> = (administrator: Administrator, input: Input) => Promise<Value>;

/** Administers all tenants and the platform. */
export interface PlatformOperator {
  readonly kind: 'platform';
  /**
   * The service account, which is checked again in each change. A command has the database's own rights, and a caller of the
   * gateway has an assertion for a single request.
   */
  readonly account: { readonly tenantId: number; readonly clientId: string } | 'command-line' | 'gateway-admin-secret';
  readonly author: Author;
}

/** A user who administers their own tenant. */
export interface TenantAdministrator {
  readonly kind: 'tenant';
  readonly tenantId: number;
  readonly userId: string;
  readonly sessionId: string;
  readonly author: Author;
}

export type IdentifiedAdministrator =
  | { readonly outcome: 'administrator'; readonly administrator: Administrator }
  /** There is no valid token of an active session. */
  | { readonly outcome: 'unknown' }
  /** The caller administers nothing. */
  | { readonly outcome: 'refused' };

/** The credentials of a request. The rest of the request is ignored. */
export interface AdministratorCredentials {
  /** The bearer token. */
  readonly accessToken: string | undefined;
  /**
   * Returns whether the gateway's assertion of an operator is valid. Undefined if there is none. An assertion replaces the
   * token.
   */
  readonly operatorAssertion?: (() => Promise<boolean>) | undefined;
}

export type IdentifyAdministrator = (
  credentials: AdministratorCredentials,
  origin: RequestOrigin,
) => Promise<IdentifiedAdministrator>;

export interface IdentifyAdministratorOptions {
  readonly database: Database;
  readonly verify: VerifyAccessToken;
  readonly identifyCaller: IdentifyCaller;
  /** A user with one of these roles administers their own tenant. */
  readonly roles: readonly string[];
  /** Records an attempt to administer without the right to. */
  recordRefusal(entry: AuditEntry): Promise<void>;
  now(): Date;
}

/**
 * Identifies an administrator. The signature, audience and expiry of the access token are verified here. Roles in the token do
 * not count: a user needs the role in the database now, and an active session. A service account needs the scope both in the
 * token and in the database, and its tenant must not be disabled. The gateway's assertion is verified with its keys.
 */
export function createIdentifyAdministrator(options: IdentifyAdministratorOptions): IdentifyAdministrator {
  const { database, verify, identifyCaller, roles, recordRefusal, now } = options;

  async function refuse(tenantId: number, author: Author, subject: AuditSubject): Promise<IdentifiedAdministrator> {
    const what = { at: now(), event: 'admin.access', outcome: 'refused', tenantId, subject } as const;
    await recordRefusal({ ...author, ...what });
    return { outcome: 'refused' };
  }

  async function serviceAccount(token: VerifiedAccessToken, origin: RequestOrigin): Promise<IdentifiedAdministrator> {
    const { tenantId, clientId, subject } = token;
    if (subject !== clientId || !(await isClientTokenAlive(database, token))) return { outcome: 'unknown' };
    const actor = { kind: 'client', id: clientId } as const;
    const isOperator = scopesOfToken(token).includes(PLATFORM_SCOPE) && (await hasScope(database, tenantId, clientId));
    if (!isOperator) return refuse(tenantId, { actor, origin }, actor);
    const author: Author = { actor, origin, actingAs: 'platform-operator' };
    const account = { tenantId, clientId };
    return { outcome: 'administrator', administrator: { kind: 'platform', account, author } };
  }

  async function callerOfGateway(isValid: boolean, origin: RequestOrigin): Promise<IdentifiedAdministrator> {
    if (!isValid) {
      const actor = { kind: 'unknown' } as const;
      const details = { reason: 'operator-assertion' };
      const what = { at: now(), event: 'admin.access', outcome: 'refused', tenantId: PLATFORM } as const;
      await recordRefusal({ ...what, actor, origin, details });
      return { outcome: 'unknown' };
    }
    const author: Author = { actor: GATEWAY_ADMIN, origin, actingAs: 'platform-operator' };
    return { outcome: 'administrator', administrator: { kind: 'platform', account: 'gateway-admin-secret', author } };
  }

  return async ({ accessToken, operatorAssertion }, origin) => {
    if (operatorAssertion) return callerOfGateway(await operatorAssertion(), origin);
    const token = accessToken === undefined ? undefined : await verify(accessToken, now());
    if (!token) return { outcome: 'unknown' };
    if (token.clientId !== FIRST_PARTY_CLIENT) return serviceAccount(token, origin);
    const caller = await identifyCaller(accessToken);
    if (!caller) return { outcome: 'unknown' };
    const { sessionId } = caller;
    const { tenantId, userId, allowedRoles } = caller.account;
    const actor = { kind: 'user', id: userId } as const;
    if (!allowedRoles.some((role) => roles.includes(role))) return refuse(tenantId, { actor, origin }, actor);
    const author: Author = { actor, origin, actingAs: 'tenant-administrator' };
    return { outcome: 'administrator', administrator: { kind: 'tenant', tenantId, userId, sessionId, author } };
  };
}

function scopesOfToken({ payload }: VerifiedAccessToken): readonly string[] {
  return typeof payload.scope === 'string' ? payload.scope.split(' ') : [];
}

/** Returns whether the account has the platform's scope now, even if it had the scope when the token was issued. */
async function hasScope(database: Database, tenantId: number, clientId: string): Promise<boolean> {
  const client = await database.inTenant(
    tenantId,
    ({ oAuthClient }) => oAuthClient.findUnique({ where: { tenantId_id: { tenantId, id: clientId } } }),
    { operation: 'read-administration' },
  );
  return client?.scopes.includes(PLATFORM_SCOPE) ?? false;
}
