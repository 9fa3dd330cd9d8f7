import { MAX_TENANT_ID, type NamedClaim, readUsername } from '../use-cases/index.ts';
import type { CommandContext } from './command.ts';
import { invalidClaim, invalidTenantId, unknownTenant, unknownUser } from './errors.ts';

/** The default roles of a new user. */
export const DEFAULT_ROLES = ['user'];

/** Parses a tenant id, an integer. @throws UsageError */
export function parseTenantId(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id >= 1 && id <= MAX_TENANT_ID)) throw invalidTenantId(MAX_TENANT_ID);
  return id;
}

/** Returns the tenant with this id or name. @throws CommandError if it does not exist. */
export async function findTenant({ database }: CommandContext, text: string): Promise<{ id: number; name: string }> {
  const where = /^\d{1,10}$/.test(text) ? { id: parseTenantId(text) } : { name: text };
  const tenant = await database.acrossTenants('operators-look', (transaction) =>
    transaction.tenant.findUnique({ where }),
  );
  if (!tenant) throw unknownTenant();
  return tenant;
}

export interface FoundUser {
  tenantId: number;
  userId: string;
  username: string;
  tenantName: string;
}

/** Returns the user with this name in this tenant. @throws CommandError if it does not exist. */
export async function findUser(context: CommandContext, tenant: string, name: string): Promise<FoundUser> {
  const { id: tenantId, name: tenantName } = await findTenant(context, tenant);
  const username = readUsername(name);
  const user = await context.database.inTenant(tenantId, (transaction) =>
    transaction.user.findUnique({ where: { tenantId_username: { tenantId, username } } }),
  );
  if (!user) throw unknownUser();
  return { tenantId, tenantName, userId: user.id, username };
}

/** Parses `name=value` for each extra claim. `none` removes all claims. @throws UsageError */
export function readClaimOptions(given: readonly string[]): readonly NamedClaim[] {
  return given.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) throw invalidClaim();
    return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
}
