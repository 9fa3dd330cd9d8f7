import { type Database, Prisma, type Transaction } from '../database/index.ts';
import { type ExtraClaims, mergeClaims } from '../tokens/index.ts';

/** Longer names are refused without processing. In UTF-16 code units. */
const MAX_USERNAME_LENGTH = 255;

const NUL = '\0';

export interface Account {
  tenantId: number;
  tenantName: string;
  userId: string;
  username: string;
  passwordHash: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  /** Whether the user or the whole tenant is disabled. */
  disabled: boolean;
  /** The extra claims that operators set for the tenant, its roles and the user. */
  extraClaims: ExtraClaims;
  /** Access tokens that were issued earlier are revoked. Null if there was no such revocation. */
  tokensValidFrom: Date | null;
}

/**
 * Returns the form of a username in which it is stored and looked up: Unicode NFKC, so that a name typed on two keyboards is
 * the same. Undefined for invalid names: PostgreSQL rejects NUL, and the driver would replace a lone surrogate by another
 * character.
 */
export function normalizeUsername(username: string): string | undefined {
  if (username.length > MAX_USERNAME_LENGTH || username.includes(NUL) || !username.isWellFormed()) return undefined;
  return username.normalize('NFKC');
}

/** A tenant with the claims for its accounts' tokens. */
export const TENANT_WITH_CLAIMS = { tenant: { include: { roleClaims: true } } } as const;

/** Returns the account with this name in this tenant, whether or not it is disabled. */
export async function findAccountByName(
  database: Database,
  tenantId: number,
  username: string,
): Promise<Account | undefined> {
  const name = normalizeUsername(username);
  if (name === undefined) return undefined;
  const [row] = await database.single.inTenant<AccountRow>(
    tenantId,
    Prisma.sql`
      SELECT ${ACCOUNT_COLUMNS} FROM users JOIN tenants ON tenants.id = users.tenant_id
      WHERE users.tenant_id = ${tenantId} AND users.username = ${name}`,
    'find-account',
  );
  return row && accountFromRow(row);
}

/**
 * Selects an `AccountRow` from `users` and `tenants`. If these are locked and were changed meanwhile, PostgreSQL reads their
 * rows again, but not those of subselects. The tenant's `tokens_valid_from` is therefore read in the same way as the claims of
 * roles: a token with claims that have just been removed then counts as issued before.
 */
export const ACCOUNT_COLUMNS = Prisma.sql`
  users.tenant_id AS "tenantId", users.id, users.username, users.password_hash AS "passwordHash",
  users.allowed_roles AS "allowedRoles", users.default_role AS "defaultRole", users.disabled_at AS "disabledAt",
  users.claims, users.tokens_valid_from AS "tokensValidFrom", tenants.name AS "tenantName",
  tenants.disabled_at AS "tenantDisabledAt", tenants.claims AS "tenantClaims",
  (SELECT before.tokens_valid_from FROM tenants AS before WHERE before.id = tenants.id) AS "tenantTokensValidFrom",
  (SELECT jsonb_agg(jsonb_build_object('role', role_claims.role, 'claims', role_claims.claims)) FROM role_claims
    WHERE role_claims.tenant_id = tenants.id) AS "roleClaims"`;

/** An account as a single statement returns it. */
export interface AccountRow extends Omit<UserWithTenant, 'tenant'> {
  tenantName: string;
  tenantDisabledAt: Date | null;
  tenantClaims: Prisma.JsonValue;
  tenantTokensValidFrom: Date | null;
  /** Null if no role has claims. */
  roleClaims: TenantWithClaims['roleClaims'] | null;
}

/** Returns the account of a row that `ACCOUNT_COLUMNS` selected. */
export function accountFromRow(row: AccountRow): Account {
  const {
    tenantName: name,
    tenantDisabledAt: disabledAt,
    tenantClaims: claims,
    tenantTokensValidFrom: tokensValidFrom,
    roleClaims,
    ...user
  } = row;
  return accountOf({ ...user, tenant: { name, disabledAt, claims, tokensValidFrom, roleClaims: roleClaims ?? [] } });
}

/** Returns the account with this id in this tenant, whether or not it is disabled. `userId` must be a UUID. */
export async function findAccountById(
  transaction: Transaction,
  tenantId: number,
  userId: string,
): Promise<Account | undefined> {
  return accountFrom(
    await transaction.user.findUnique({
      where: { tenantId_id: { tenantId, id: userId } },
      include: TENANT_WITH_CLAIMS,
      relationLoadStrategy: 'join',
    }),
  );
}

interface UserWithTenant {
  tenantId: number;
  id: string;
  username: string;
  passwordHash: string;
  allowedRoles: string[];
  defaultRole: string;
  disabledAt: Date | null;
  claims: Prisma.JsonValue;
  tokensValidFrom: Date | null;
  tenant: TenantWithClaims;
}

interface TenantWithClaims {
  name: string;
  disabledAt: Date | null;
  claims: Prisma.JsonValue;
  tokensValidFrom: Date | null;
  roleClaims: readonly { role: string; claims: Prisma.JsonValue }[];
}

/** Returns the extra claims that users of a tenant share. */
export async function readSharedClaims(
  transaction: Transaction,
  tenantId: number,
): Promise<Pick<TenantWithClaims, 'claims' | 'roleClaims'>> {
  const select = { claims: true, roleClaims: true } as const;
  return (await transaction.tenant.findUnique({ where: { id: tenantId }, select })) ?? { claims: {}, roleClaims: [] };
}

/**
 * Returns the extra claims of a user with these roles in this tenant. A token is for all of its roles, so it contains the
 * claims of all of them. In increasing precedence: the tenant's claims, those of each role with the default role last, and
 * `own`.
 */
export function extraClaimsOf(
  tenant: Pick<TenantWithClaims, 'claims' | 'roleClaims'>,
  { allowedRoles, defaultRole }: { allowedRoles: readonly string[]; defaultRole: string },
  own: unknown,
): ExtraClaims {
  const roles = [...allowedRoles.filter((role) => role !== defaultRole), defaultRole];
  const ofRoles = roles.map((name) => tenant.roleClaims.find(({ role }) => role === name)?.claims);
  return mergeClaims(tenant.claims, ...ofRoles, own);
}

/** Returns the account of a user's row. */
export function accountFrom(row: UserWithTenant | null): Account | undefined {
  return row ? accountOf(row) : undefined;
}

function accountOf({ tenant, id, disabledAt, claims, tokensValidFrom, ...rest }: UserWithTenant): Account {
  return {
    ...rest,
    tokensValidFrom: laterOf(tokensValidFrom, tenant.tokensValidFrom),
    userId: id,
    tenantName: tenant.name,
    disabled: disabledAt !== null || tenant.disabledAt !== null,
    extraClaims: extraClaimsOf(tenant, rest, claims),
  };
}

function laterOf(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one > other ? one : other;
}
