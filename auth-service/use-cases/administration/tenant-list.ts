import type { Author } from '../../audit/index.ts';
import { type Database, Prisma, type Transaction } from '../../database/index.ts';
import { type ExtraClaims, mergeClaims } from '../../tokens/index.ts';
import { ASSIGNABLE_COLUMNS, type AssignableRights } from './administered-tenants.ts';
import type { Administrator } from './administrator.ts';
import { invalidField, refusal } from './errors.ts';
import {
  decodeCursor,
  encodeCursor,
  MAX_SEARCH_LENGTH,
  MAX_TENANT_ID,
  type Page,
  type PageInput,
  pageOf,
  readPageSize,
  readTenantId,
} from './input.ts';

/** A tenant as administrators see it. */
export interface ListedTenant {
  tenantId: number;
  name: string;
  createdAt: Date;
  disabledAt: Date | null;
  claims: ExtraClaims;
  assignable: AssignableRights;
}

export interface ListTenantsInput extends PageInput {
  /** A part of the name in any case, or the id. */
  search?: string | null;
}

export interface TenantInput {
  tenant_id?: number | null;
}

/** Lists the tenants by id: all of them for operators, their own for administrators of a tenant. */
export function createListTenants(database: Database) {
  return async (administrator: Administrator, input: ListTenantsInput): Promise<Page<ListedTenant>> => {
    const size = readPageSize(input.first);
    const after = readAfter(input.after);
    const search = readTenantSearch(input.search);
    const limit = size + 1;
    const rows = await readTenants(database, administrator, (transaction, whose) => {
      const matches =
        search === undefined
          ? Prisma.empty
          : Prisma.sql`AND (strpos(lower(name), lower(${search})) > 0 OR id::text = ${search})`;
      return transaction.$queryRaw<ListedTenantRow[]>`
        SELECT ${TENANT_COLUMNS} FROM tenants WHERE id > ${after} ${whose} ${matches} ORDER BY id LIMIT ${limit}`;
    });
    return pageOf(rows, size, ({ tenantId }) => encodeCursor(String(tenantId)), tenantFrom);
  };
}

/** Returns one tenant. @throws AdministrationError if it does not exist, or the administrator may not see it. */
export function createGetTenant(database: Database) {
  return async (administrator: Administrator, input: TenantInput): Promise<ListedTenant> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const [row] = await readTenants(
      database,
      administrator,
      (transaction) => transaction.$queryRaw<ListedTenantRow[]>`
        SELECT ${TENANT_COLUMNS} FROM tenants WHERE id = ${tenantId}`,
    );
    if (!row) throw refusal('unknown-tenant');
    return tenantFrom(row);
  };
}

export interface DescribedAdministrator {
  actingAs: NonNullable<Author['actingAs']>;
  /** Null for operators, who administer all tenants. */
  tenant: ListedTenant | null;
}

/** Describes what an administrator administers. */
export function createDescribeAdministrator(database: Database) {
  const getTenant = createGetTenant(database);
  return async (administrator: Administrator): Promise<DescribedAdministrator> =>
    administrator.kind === 'platform'
      ? { actingAs: 'platform-operator', tenant: null }
      : { actingAs: 'tenant-administrator', tenant: await getTenant(administrator, {}) };
}

function readTenants(
  database: Database,
  administrator: Administrator,
  work: (transaction: Transaction, whose: Prisma.Sql) => Promise<ListedTenantRow[]>,
): Promise<ListedTenantRow[]> {
  const options = { operation: 'read-administration' } as const;
  if (administrator.kind === 'platform')
    return database.acrossTenants('operators-look', (transaction) => work(transaction, Prisma.empty), options);
  const { tenantId } = administrator;
  return database.inTenant(tenantId, (transaction) => work(transaction, Prisma.sql`AND id = ${tenantId}`), options);
}

interface ListedTenantRow {
  tenantId: number;
  name: string;
  createdAt: Date;
  disabledAt: Date | null;
  claims: Prisma.JsonValue;
  roles: string[];
  claimNames: string[];
  scopes: string[];
}

/** Selects a `ListedTenantRow`. */
const TENANT_COLUMNS = Prisma.sql`
  id AS "tenantId", name, created_at AS "createdAt", disabled_at AS "disabledAt", claims, ${ASSIGNABLE_COLUMNS}`;

function tenantFrom({ claims, roles, claimNames, scopes, ...row }: ListedTenantRow): ListedTenant {
  return { ...row, claims: mergeClaims(claims), assignable: { roles, claims: claimNames, scopes } };
}

function readTenantSearch(search: string | null | undefined): string | undefined {
  if (search == null || search === '') return undefined;
  if (search.length > MAX_SEARCH_LENGTH || search.includes('\0') || !search.isWellFormed())
    throw invalidField('search', `a text of at most ${MAX_SEARCH_LENGTH} characters`);
  return search.normalize('NFKC');
}

function readAfter(cursor: string | null | undefined): number {
  const text = decodeCursor(cursor);
  if (text === undefined) return 0;
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= MAX_TENANT_ID)) throw invalidField('after', 'next of the page before');
  return id;
}
