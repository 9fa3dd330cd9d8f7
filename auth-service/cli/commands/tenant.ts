import { recordAudit } from '../../audit/index.ts';
import { createDisableTenant, createEnableTenant } from '../../use-cases/index.ts';
import { type DatabaseCommandRuns, positionalAt } from '../command.ts';
import { CommandError, UsageError } from '../command-errors.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { recordClaims } from '../record-claims.ts';
import { findTenant, readClaimOptions, readTenantId } from '../subjects.ts';

const MAX_TENANT_NAME_LENGTH = 255;

export const tenantCommands: DatabaseCommandRuns = {
  async 'tenant add'({ database, now, author }, given) {
    const id = readTenantId(positionalAt(given, 0));
    const name = positionalAt(given, 1).normalize('NFKC');
    // A name of digits alone would be taken for an id.
    if (name.trim() === '' || /^\d+$/.test(name) || name.length > MAX_TENANT_NAME_LENGTH || /\p{Cc}/u.test(name))
      throw new UsageError(`expected a name that is no number, of at most ${MAX_TENANT_NAME_LENGTH} characters`);
    const count = await database.inTenant(id, async (transaction) => {
      const at = now();
      const added = await transaction.tenant.createMany({
        data: [{ id, name, createdAt: at }],
        skipDuplicates: true,
      });
      const subject = { kind: 'tenant', id: String(id) } as const;
      const what = { at, event: 'tenant.add', outcome: 'success', tenantId: id, subject, details: { name } } as const;
      if (added.count > 0) await recordAudit(transaction, { ...author, ...what });
      return added.count;
    });
    if (count === 0) throw new CommandError('there is a tenant with this id or name already');
    return messageOutcome(`tenant ${id} was added`, { id, name });
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
    await createDisableTenant(context.database, context.now, context.author)(id);
    return messageOutcome(`tenant ${id} is disabled`, { id, disabled: true });
  },

  async 'tenant enable'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    await createEnableTenant(context.database, context.now, context.author)(id);
    return messageOutcome(`tenant ${id} is enabled`, { id, disabled: false });
  },

  async 'tenant set-assignable'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    const { role = [], claim = [], scope = [] } = given.options;
    const input = { tenant_id: id, roles: role, claims: claim, scopes: scope };
    const assignable = await context.administration.setAssignable(context.administrator, input);
    const counts = Object.entries(assignable).map(([name, values]) => `${values.length} ${name}`);
    return messageOutcome(`administrators of tenant ${id} may give ${counts.join(', ')}`, { id, ...assignable });
  },

  async 'tenant set-claims'(context, given) {
    const { id } = await findTenant(context, positionalAt(given, 0));
    const claims = readClaimOptions(given.positionals.slice(1));
    await context.database.inTenant(id, async (transaction) => {
      await transaction.tenant.update({ where: { id }, data: { claims } });
      const subject = { kind: 'tenant', id: String(id) } as const;
      await recordClaims(context, transaction, { event: 'tenant.set-claims', tenantId: id, subject, claims });
    });
    return messageOutcome(`tenant ${id} has ${Object.keys(claims).length} extra claims`, { id, claims });
  },

  async 'role set-claims'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
    const role = positionalAt(given, 1);
    const claims = readClaimOptions(given.positionals.slice(2));
    const where = { tenantId_role: { tenantId, role } };
    await context.database.inTenant(tenantId, async (transaction) => {
      await transaction.roleClaims.upsert({ where, create: { tenantId, role, claims }, update: { claims } });
      const subject = { kind: 'role', id: role } as const;
      await recordClaims(context, transaction, { event: 'role.set-claims', tenantId, subject, claims });
    });
    return messageOutcome(`the role has ${Object.keys(claims).length} extra claims`, {
      tenant_id: tenantId,
      role,
      claims,
    });
  },
};
