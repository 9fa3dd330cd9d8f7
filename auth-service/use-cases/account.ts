import type { Database, Prisma, Transaction } from '../database/index.ts';
import { type ExtraClaims, mergeClaims } from '../tokens/index.ts';

/** Longer names are refused unread. In UTF-16 units, as JavaScript counts. */
const MAX_USERNAME_LENGTH = 255;

const NUL = '\0';
const LONE_SURROGATE = /\p{Surrogate}/u;

export interface Account {
  tenantId: number;
  tenantName: string;
  userId: string;
  username: string;
  passwordHash: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  /** The user or the whole tenant. */
  disabled: boolean;
  /** What the operator has put into the access tokens of the tenant, of its roles and of the user. */
  extraClaims: ExtraClaims;
}

/**
 * The form that usernames are stored and looked up in: Unicode NFKC, so that one name typed on two keyboards is one
 * name. Undefined for what cannot be anybody's name: PostgreSQL takes no NUL, and the driver would turn a lone
 * surrogate into another character.
 */
export function normalizeUsername(username: string): string | undefined {
  if (username.length > MAX_USERNAME_LENGTH || username.includes(NUL) || LONE_SURROGATE.test(username))
    return undefined;
  return username.normalize('NFKC');
}

/** A tenant with all that its accounts' tokens say of it. */
export const TENANT_WITH_CLAIMS = { tenant: { include: { roleClaims: true } } } as const;

/** The account with this name in this tenant, disabled or not. */
export async function findAccountByName(
  database: Database,
  tenantId: number,
  username: string,
): Promise<Account | undefined> {
  const name = normalizeUsername(username);
  if (name === undefined) return undefined;
  return accountFrom(
    await database.user.findUnique({
      where: { tenantId_username: { tenantId, username: name } },
      include: TENANT_WITH_CLAIMS,
    }),
  );
}

/** The account with this id in this tenant, disabled or not. `userId` must be a UUID. */
export async function findAccountById(
  database: Database | Transaction,
  tenantId: number,
  userId: string,
): Promise<Account | undefined> {
  return accountFrom(
    await database.user.findUnique({
      where: { tenantId_id: { tenantId, id: userId } },
      include: TENANT_WITH_CLAIMS,
    }),
  );
}

interface UserRow {
  tenantId: number;
  id: string;
  username: string;
  passwordHash: string;
  allowedRoles: string[];
  defaultRole: string;
  disabledAt: Date | null;
  claims: Prisma.JsonValue;
  tenant: TenantRow;
}

interface TenantRow {
  name: string;
  disabledAt: Date | null;
  claims: Prisma.JsonValue;
  roleClaims: readonly { role: string; claims: Prisma.JsonValue }[];
}

/**
 * The extra claims of who has these roles in this tenant. A token is for all of its roles at once, so the claims of all
 * of them are in it: the tenant's, over them those of each role with the default role last, over them `own`.
 */
export function extraClaimsOf(
  tenant: Pick<TenantRow, 'claims' | 'roleClaims'>,
  { allowedRoles, defaultRole }: { allowedRoles: readonly string[]; defaultRole: string },
  own: Prisma.JsonValue,
): ExtraClaims {
  const roles = [...allowedRoles.filter((role) => role !== defaultRole), defaultRole];
  const ofRoles = roles.map((name) => tenant.roleClaims.find(({ role }) => role === name)?.claims);
  return mergeClaims(tenant.claims, ...ofRoles, own);
}

/** The account of a user's row. */
export function accountFrom(row: UserRow | null): Account | undefined {
  if (!row) return undefined;
  const { tenant, id, disabledAt, claims, ...rest } = row;
  return {
    ...rest,
    userId: id,
    tenantName: tenant.name,
    disabled: disabledAt !== null || tenant.disabledAt !== null,
    extraClaims: extraClaimsOf(tenant, rest, claims),
  };
}
