import { ROLE_NAME } from '../tokens/index.ts';
import { MAX_ROLES_OF_USER, MAX_TENANT_ID, type NamedClaim, normalizeUsername } from '../use-cases/index.ts';
import type { CommandContext } from './command.ts';
import { CommandError, UsageError } from './command-errors.ts';

/** Of a user for whom none are named. */
export const DEFAULT_ROLES = ['user'];

/** A tenant id as it is written: a whole number. @throws UsageError */
export function readTenantId(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id >= 1 && id <= MAX_TENANT_ID)) throw new UsageError(`expected a tenant id from 1 to ${MAX_TENANT_ID}`);
  return id;
}

/** The tenant with this id or name. @throws CommandError when there is none. */
export async function findTenant({ database }: CommandContext, text: string): Promise<{ id: number; name: string }> {
  const where = /^\d{1,10}$/.test(text) ? { id: readTenantId(text) } : { name: text };
  const tenant = await database.acrossTenants('operators-look', (transaction) =>
    transaction.tenant.findUnique({ where }),
  );
  if (!tenant) throw new CommandError('there is no such tenant');
  return tenant;
}

export interface FoundUser {
  tenantId: number;
  userId: string;
  username: string;
  tenantName: string;
}

/** The user with this name in this tenant. @throws CommandError when there is none. */
export async function findUser(context: CommandContext, tenant: string, name: string): Promise<FoundUser> {
  const { id: tenantId, name: tenantName } = await findTenant(context, tenant);
  const username = readUsername(name);
  const user = await context.database.inTenant(tenantId, (transaction) =>
    transaction.user.findUnique({ where: { tenantId_username: { tenantId, username } } }),
  );
  if (!user) throw new CommandError('there is no such user in this tenant');
  return { tenantId, tenantName, userId: user.id, username };
}

/** @throws UsageError */
export function readUsername(text: string): string {
  const username = normalizeUsername(text);
  if (!username) throw new UsageError('expected a username of 1 to 255 characters');
  return username;
}

/** @throws UsageError unless there is at least one role and the default role is one of them. */
export function readRoles(given: readonly string[], givenDefault: string | undefined) {
  const allowedRoles = [...new Set(given)];
  const [first] = allowedRoles;
  if (first === undefined || allowedRoles.length > MAX_ROLES_OF_USER)
    throw new UsageError(`expected 1 to ${MAX_ROLES_OF_USER} roles`);
  if (!allowedRoles.every((role) => ROLE_NAME.test(role)))
    throw new UsageError('expected roles of letters, digits and _ . : - (64 at most)');
  const defaultRole = givenDefault ?? first;
  if (!allowedRoles.includes(defaultRole)) throw new UsageError('the default role is not among the roles');
  return { allowedRoles, defaultRole };
}

/** `name=value` for each extra claim; none takes them all away. @throws UsageError */
export function readClaimOptions(given: readonly string[]): readonly NamedClaim[] {
  return given.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) throw new UsageError('expected claims like x-hasura-department=sales');
    return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
}
