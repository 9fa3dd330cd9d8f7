import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { findTenant, parseTenantId, readClaimOptions } from '../subjects.ts';

export const tenantCommands: DatabaseCommandRuns = {
  async 'tenant add'({ administration, administrator }, given) {
    const input = { tenant_id: parseTenantId(positionalAt(given, 0)), name: positionalAt(given, 1) };
    const { tenantId: id, name } = await administration.createTenant(administrator, input);
    return messageOutcome(`tenant ${id} is added`, { id, name });
  },

  async 'tenant list'({ database }) {
    const tenants = await database.acrossTenants('operators-look', ({ tenant }) =>
      tenant.findMany({ orderBy: { id: 'asc' }, include: { _count: { select: { users: true } } } }),
    );
    return listOutcome(
      tenants.map(({ id, name, createdAt, disabledAt, claims, _count }) => ({
        id,
        name,
        users: _count.users,
        created_at: createdAt,
        disabled_at: disabledAt,
        claims,
      })),
    );
  },

  async 'tenant disable'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    await context.administration.disableTenant(context.administrator, { tenant_id: id });
    return messageOutcome(`tenant ${id} is disabled`, { id, disabled: true });
  },

  async 'tenant enable'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    await context.administration.enableTenant(context.administrator, { tenant_id: id });
    return messageOutcome(`tenant ${id} is enabled`, { id, disabled: false });
  },

  async 'tenant set-assignable'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    const { role = [], claim = [], scope = [] } = given.options;
    const input = { tenant_id: id, roles: role, claims: claim, scopes: scope };
    const { assignable } = await context.administration.setAssignable(context.administrator, input);
    const counts = Object.entries(assignable).map(([name, values]) => `${values.length} ${name}`);
    return messageOutcome(`administrators of tenant ${id} may assign ${counts.join(', ')}`, { id, ...assignable });
  },

  async 'tenant set-claims'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    const input = { tenant_id: id, claims: readClaimOptions(given.positionals.slice(1)) };
    const { claims } = await context.administration.setTenantClaims(context.administrator, input);
    return messageOutcome(`tenant ${id} has ${Object.keys(claims).length} extra claims`, { id, claims });
  },

  async 'role set-claims'(context, given) {
    const { id: tenant_id } = await findTenant(context, positionalAt(given, 0));
    const role = positionalAt(given, 1);
    const claims = readClaimOptions(given.positionals.slice(2));
    await context.administration.setRoleClaims(context.administrator, { tenant_id, role, claims });
    return messageOutcome(`the role has ${claims.length} extra claims`, {
      tenant_id,
      role,
      claims: Object.fromEntries(claims.map(({ name, value }) => [name, value])),
    });
  },
};
