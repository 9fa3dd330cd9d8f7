import { isUuid } from '../../../platform/index.ts';
import type { Transaction } from '../../database/index.ts';
import { type AddedClient, addClient, revokeClient } from '../clients/index.ts';
import { isLegible, LEGIBLE } from '../legible-name.ts';
import type { AdministeredTenant, AdministeredTenants } from './administered-tenants.ts';
import { type Administrator, PLATFORM_SCOPE } from './administrator.ts';
import { requireAssignable, rightsProblem } from './assignable-rights.ts';
import { invalidField, missingField, refusal } from './errors.ts';
import {
  olderThan,
  type Page,
  type PageInput,
  pageOf,
  readPageSize,
  readRoleSet,
  readScopes,
  readTenantId,
  readTimeCursor,
  timeCursor,
} from './input.ts';

const MAX_CLIENT_NAME_LENGTH = 255;

/** A service account as administrators see it. */
export interface AdministeredClient {
  tenantId: number;
  clientId: string;
  name: string;
  allowedRoles: readonly string[];
  defaultRole: string;
  scopes: readonly string[];
  createdAt: Date;
  revokedAt: Date | null;
  /** Whether the administrator may revoke it. */
  manageable: boolean;
}

export interface ListClientsInput extends PageInput {
  tenant_id?: number | null;
}

export interface CreateClientInput {
  tenant_id?: number | null;
  name?: string | null;
  roles?: readonly string[] | null;
  default_role?: string | null;
  scopes?: readonly string[] | null;
}

export interface ClientInput {
  tenant_id?: number | null;
  client_id?: string | null;
}

export interface AdministeredClientsOptions {
  readonly tenants: AdministeredTenants;
  now(): Date;
}

/** Lists the service accounts of a tenant, the newest first. Tenant administrators do not see those of platform operators. */
export function createListClients({ tenants }: AdministeredClientsOptions) {
  return async (administrator: Administrator, input: ListClientsInput): Promise<Page<AdministeredClient>> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const size = readPageSize(input.first);
    const after = readTimeCursor(input.after);
    return tenants.read(tenantId, async (transaction, tenant) => {
      const rows = await transaction.oAuthClient.findMany({
        where: {
          ...visibleTo(administrator, tenantId),
          ...olderThan(after),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: size + 1,
      });
      return pageOf(rows, size, timeCursor, (row) => clientFrom(row, administrator, tenant));
    });
  };
}

/** Adds a service account. @throws AdministrationError */
export function createCreateClient({ tenants, now }: AdministeredClientsOptions) {
  return async (
    administrator: Administrator,
    input: CreateClientInput,
  ): Promise<AddedClient & { client: AdministeredClient }> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    const name = readClientName(input.name);
    const roles = readRoleSet(input.roles, input.default_role);
    const scopes = readScopes(input.scopes ?? []);
    return tenants.change(administrator, tenantId, async (transaction, tenant) => {
      requireAssignable(administrator, tenant, { ...roles, scopes });
      const added = await addClient(transaction, { tenantId, name, scopes, ...roles }, now(), administrator.author);
      const client = await readClient(transaction, administrator, tenant, added.clientId);
      return { ...added, client };
    });
  };
}

/** Revokes a service account's secret and all its tokens permanently. @throws AdministrationError */
export function createRevokeClient({ tenants, now }: AdministeredClientsOptions) {
  return async (administrator: Administrator, input: ClientInput): Promise<AdministeredClient> => {
    const tenantId = readTenantId(administrator, input.tenant_id);
    if (input.client_id == null) throw missingField('client_id');
    if (!isUuid(input.client_id)) throw refusal('unknown-client');
    const clientId = input.client_id.toLowerCase();
    return tenants.change(administrator, tenantId, async (transaction, tenant) => {
      const client = await readClient(transaction, administrator, tenant, clientId);
      if (!client.manageable) throw refusal('client-not-manageable');
      const revoked = await revokeClient(transaction, tenantId, clientId, now, administrator.author);
      if (!revoked) throw refusal('client-revoked');
      return readClient(transaction, administrator, tenant, clientId);
    });
  };
}

async function readClient(
  { oAuthClient }: Transaction,
  administrator: Administrator,
  tenant: AdministeredTenant,
  id: string,
): Promise<AdministeredClient> {
  const row = await oAuthClient.findFirst({ where: { ...visibleTo(administrator, tenant.id), id } });
  if (!row) throw refusal('unknown-client');
  return clientFrom(row, administrator, tenant);
}

function visibleTo(administrator: Administrator, tenantId: number) {
  return administrator.kind === 'platform' ? { tenantId } : { tenantId, NOT: { scopes: { has: PLATFORM_SCOPE } } };
}

interface ClientRow {
  tenantId: number;
  id: string;
  name: string;
  allowedRoles: string[];
  defaultRole: string;
  scopes: string[];
  createdAt: Date;
  revokedAt: Date | null;
}

function clientFrom(
  { tenantId, id, name, allowedRoles, defaultRole, scopes, createdAt, revokedAt }: ClientRow,
  administrator: Administrator,
  tenant: AdministeredTenant,
): AdministeredClient {
  const manageable = rightsProblem(administrator, tenant, { allowedRoles, scopes }) === undefined;
  return { tenantId, clientId: id, name, allowedRoles, defaultRole, scopes, createdAt, revokedAt, manageable };
}

function readClientName(name: string | null | undefined): string {
  if (name == null) throw missingField('name');
  const normalized = name.normalize('NFKC');
  if (normalized.length > MAX_CLIENT_NAME_LENGTH || !isLegible(normalized))
    throw invalidField('name', `a name of at most ${MAX_CLIENT_NAME_LENGTH} characters, ${LEGIBLE}`);
  return normalized;
}
