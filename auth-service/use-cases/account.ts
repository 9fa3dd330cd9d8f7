import type { Database } from '../database/index.ts';

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
      include: { tenant: true },
    }),
  );
}

/** The account with this id in this tenant, disabled or not. `userId` must be a UUID. */
export async function findAccountById(
  database: Database,
  tenantId: number,
  userId: string,
): Promise<Account | undefined> {
  return accountFrom(
    await database.user.findUnique({
      where: { tenantId_id: { tenantId, id: userId } },
      include: { tenant: true },
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
  tenant: { name: string; disabledAt: Date | null };
}

function accountFrom(row: UserRow | null): Account | undefined {
  if (!row) return undefined;
  const { tenant, id, disabledAt, ...rest } = row;
  return {
    ...rest,
    userId: id,
    tenantName: tenant.name,
    disabled: disabledAt !== null || tenant.disabledAt !== null,
  };
}
