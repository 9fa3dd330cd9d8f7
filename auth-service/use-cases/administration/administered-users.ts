import { isUuid } from '../../../platform/index.ts';
import { Prisma, type Transaction } from '../../database/index.ts';
import { type ExtraClaims, mergeClaims } from '../../tokens/index.ts';
import { normalizeUsername } from '../account.ts';
import type { AdministeredTenant, AdministeredTenants } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { rightsProblem } from './assignable-rights.ts';
import { invalidField, refusal } from './errors.ts';
import {
  decodeCursor,
  encodeCursor,
  MAX_SEARCH_LENGTH,
  type Page,
  type PageInput,
  pageOf,
  readPageSize,
  readTenantId,
  readUserId,
} from './input.ts';
import { prefixSearch } from './prefix-ranges.ts';

/** A user as administrators see them. */
export interface AdministeredUser {
  tenantId: number;
  userId: string;
  username: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  /** The user's own extra claims, without those of the tenant and the roles. */
  claims: ExtraClaims;
  createdAt: Date;
  disabledAt: Date | null;
  /** Whether the administrator may change this user. */
  manageable: boolean;
}

export interface ListUsersInput extends PageInput {
  tenant_id?: number | null;
  /** The beginning of usernames in any case, or the id of a user. */
  search?: string | null;
  /** Filters by whether users are disabled. */
  disabled?: boolean | null;
}

/** Returns `after` for a list of users that continues behind this name. */
export function placeAfter(username: string): string {
  return encodeCursor(username);
}

export interface UserInput {
  tenant_id?: number | null;
  user_id?: string | null;
}

/** Lists the users of a tenant by name, in byte order. */
export function createListUsers(tenants: AdministeredTenants) {
  return async (administrator: Administrator, input: ListUsersInput): Promise<Page<AdministeredUser>> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const size = readPageSize(input.first);
    const after = decodeCursor(input.after) ?? '';
    const which = readUserSearch(input.search);
    return tenants.read(tenantId, async (transaction, tenant) => {
      const rows = await findUsers(transaction, { tenantId, which, disabled: input.disabled, after, limit: size + 1 });
      return pageOf(
        rows,
        size,
        ({ username }) => encodeCursor(username),
        (row) => userFrom(row, administrator, tenant),
      );
    });
  };
}

/** Returns one user. @throws AdministrationError if the tenant has no such user. */
export function createGetUser(tenants: AdministeredTenants) {
  return async (administrator: Administrator, input: UserInput): Promise<AdministeredUser> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const userId = readUserId(input.user_id);
    return tenants.read(tenantId, async (transaction, tenant) => {
      const row = await transaction.user.findUnique({ where: { tenantId_id: { tenantId, id: userId } } });
      if (!row) throw refusal('unknown-user');
      return userFrom(row, administrator, tenant);
    });
  };
}

/**
 * Locks a user until the end of the transaction: nothing else changes the row, and no session of the user is opened or
 * refreshed.
 *
 * @throws AdministrationError if the tenant has no such user.
 */
export async function lockAdministeredUser(
  transaction: Transaction,
  administrator: Administrator,
  tenant: AdministeredTenant,
  userId: string,
): Promise<AdministeredUser> {
  const [row] = await transaction.$queryRaw<AdministeredUserRow[]>`
    SELECT ${USER_COLUMNS} FROM users WHERE tenant_id = ${tenant.id} AND id = ${userId}::uuid FOR NO KEY UPDATE`;
  if (!row) throw refusal('unknown-user');
  return userFrom(row, administrator, tenant);
}

export interface AdministeredUserRow {
  tenantId: number;
  id: string;
  username: string;
  allowedRoles: string[];
  defaultRole: string;
  claims: Prisma.JsonValue;
  createdAt: Date;
  disabledAt: Date | null;
}

/** Selects an `AdministeredUserRow`. */
const USER_COLUMNS = Prisma.sql`
  tenant_id AS "tenantId", id, username, COALESCE(allowed_roles, '{}') AS "allowedRoles",
  default_role AS "defaultRole", claims, created_at AS "createdAt", disabled_at AS "disabledAt"`;

type UserSearch = { everybody: true } | { id: string } | { prefix: string };

function readUserSearch(search: string | null | undefined): UserSearch {
  if (search == null || search === '') return { everybody: true };
  if (isUuid(search)) return { id: search.toLowerCase() };
  const prefix = search.length > MAX_SEARCH_LENGTH ? undefined : normalizeUsername(search);
  if (!prefix) throw invalidField('search', `a text of at most ${MAX_SEARCH_LENGTH} characters`);
  return { prefix };
}

interface UserPage {
  tenantId: number;
  which: UserSearch;
  /** Filters by whether users are disabled. Absent for both. */
  disabled?: boolean | null | undefined;
  /** The last name of the previous page. */
  after: string;
  limit: number;
}

/**
 * Uses the index in byte order, whose operators have tildes. Row-level security prevents other operators from using an index,
 * such as LIKE or comparisons with the result of a function.
 */
export function findUsers(
  transaction: Transaction,
  { tenantId, which, disabled, after, limit }: UserPage,
): Promise<AdministeredUserRow[]> {
  const from = Prisma.sql`FROM users WHERE tenant_id = ${tenantId} AND username ~>~ ${after} ${inState(disabled)}`;
  const order = Prisma.sql`ORDER BY username USING ~<~ LIMIT ${limit}`;
  if ('everybody' in which) return transaction.$queryRaw`SELECT ${USER_COLUMNS} ${from} ${order}`;
  if ('id' in which) return transaction.$queryRaw`SELECT ${USER_COLUMNS} ${from} AND id = ${which.id}::uuid`;
  const { ranges, rest, rangeLength } = prefixSearch(which.prefix);
  const restLength = [...rest].length;
  const restMatches =
    rest === ''
      ? Prisma.empty
      : Prisma.sql`AND lower(substr(username, ${rangeLength + 1}::int, ${restLength}::int)) = lower(${rest})`;
  return transaction.$queryRaw`
    SELECT found.* FROM jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) AS range(low text, high text),
    LATERAL (
      SELECT ${USER_COLUMNS} ${from} AND username ~>=~ range.low AND username ~<~ range.high ${restMatches} ${order}
    ) AS found
    ORDER BY found.username USING ~<~ LIMIT ${limit}`;
}

function inState(disabled: boolean | null | undefined): Prisma.Sql {
  if (disabled == null) return Prisma.empty;
  return disabled ? Prisma.sql`AND disabled_at IS NOT NULL` : Prisma.sql`AND disabled_at IS NULL`;
}

export function userFrom(
  row: AdministeredUserRow,
  administrator: Administrator,
  tenant: AdministeredTenant,
): AdministeredUser {
  const { tenantId, id, username, allowedRoles, defaultRole, createdAt, disabledAt } = row;
  const user = { allowedRoles, claims: mergeClaims(row.claims) };
  return {
    tenantId,
    userId: id,
    username,
    defaultRole,
    createdAt,
    disabledAt,
    ...user,
    manageable: rightsProblem(administrator, tenant, user) === undefined,
  };
}
