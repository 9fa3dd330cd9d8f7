import { recordAudit } from '../../audit/index.ts';
import { addUser, createDisableUser, createEnableUser, resetPassword } from '../../use-cases/index.ts';
import { at, type CommandContext, CommandError, type DatabaseCommandRuns, one, UsageError } from '../command.ts';
import { runImport } from '../import-users.ts';
import { USERS_PER_LIST } from '../page-sizes.ts';
import { done, list } from '../print.ts';
import { recordClaims } from '../record-claims.ts';
import { findTenant, findUser, readClaims, readRoles, readUsername, roleOptions } from '../subjects.ts';

const DEFAULT_ROLES = ['user'];

export const userCommands: DatabaseCommandRuns = {
  async 'user add'(context, given) {
    const { id: tenantId, name: tenantName } = await findTenant(context, at(given, 0));
    const username = readUsername(at(given, 1));
    const roles = roleOptions(given.options, DEFAULT_ROLES);
    const password = await readNewPassword(context);
    const problem = context.policy.problemWith(password, { username, tenantName });
    if (problem) throw new CommandError(`the password cannot be used: ${problem.message} (${problem.code})`);
    const passwords = await context.passwords();
    const user = { tenantId, username, passwordHash: await passwords.hash(password), ...roles };
    const added = await context.database.inTenant(tenantId, (transaction) =>
      addUser(transaction, user, context.now(), context.author),
    );
    if (added === undefined) throw new CommandError('there is a user with this name in this tenant already');
    return done('the user was added', { tenant_id: tenantId, username, roles: roles.allowedRoles });
  },

  async 'user list'(context, given) {
    const { id: tenantId } = await findTenant(context, at(given, 0));
    const after = one(given.options, 'after');
    const from = after === undefined ? {} : { username: { gt: readUsername(after) } };
    const users = await context.database.inTenant(tenantId, ({ user }) =>
      user.findMany({ where: { tenantId, ...from }, orderBy: { username: 'asc' }, take: USERS_PER_LIST }),
    );
    return list(
      users.map(({ username, id, allowedRoles, defaultRole, createdAt, disabledAt, claims }) => ({
        username,
        id,
        roles: allowedRoles,
        default_role: defaultRole,
        created_at: createdAt,
        disabled_at: disabledAt,
        claims,
      })),
    );
  },

  async 'user disable'(context, given) {
    const user = await findUser(context, at(given, 0), at(given, 1));
    const { ended } = await createDisableUser(context.database, context.now, context.author)(user);
    return done(`the user is disabled, ${ended} sessions ended`, { user_id: user.userId, ended_sessions: ended });
  },

  async 'user enable'(context, given) {
    const user = await findUser(context, at(given, 0), at(given, 1));
    await createEnableUser(context.database, context.now, context.author)(user);
    return done('the user is enabled', { user_id: user.userId });
  },

  async 'user set-roles'(context, given) {
    const { tenantId, userId } = await findUser(context, at(given, 0), at(given, 1));
    const { allowedRoles, defaultRole } = readRoles(given.positionals.slice(2), one(given.options, 'default-role'));
    const where = { tenantId_id: { tenantId, id: userId } };
    await context.database.inTenant(tenantId, async (transaction) => {
      await transaction.user.update({ where, data: { allowedRoles, defaultRole } });
      await recordAudit(transaction, {
        ...context.author,
        at: context.now(),
        event: 'user.set-roles',
        outcome: 'success',
        tenantId,
        subject: { kind: 'user', id: userId },
        details: { roles: allowedRoles, default_role: defaultRole },
      });
    });
    const facts = { user_id: userId, roles: allowedRoles, default_role: defaultRole };
    return done('the roles are set; they count from the next login or refresh on', facts);
  },

  async 'user set-claims'(context, given) {
    const { tenantId, userId } = await findUser(context, at(given, 0), at(given, 1));
    const claims = readClaims(given.positionals.slice(2));
    const where = { tenantId_id: { tenantId, id: userId } };
    await context.database.inTenant(tenantId, async (transaction) => {
      await transaction.user.update({ where, data: { claims } });
      const subject = { kind: 'user', id: userId } as const;
      await recordClaims(context, transaction, { event: 'user.set-claims', tenantId, subject, claims });
    });
    return done(`the user has ${Object.keys(claims).length} extra claims`, { user_id: userId, claims });
  },

  async 'user reset-password'(context, given) {
    const user = await findUser(context, at(given, 0), at(given, 1));
    const passwords = await context.passwords();
    const password = await resetPassword(context.database, passwords, user, context.now, context.author);
    if (password === undefined) throw new CommandError('there is no such user in this tenant');
    return done(`the new password, which is shown this once: ${password}`, { user_id: user.userId, password });
  },

  async 'user import'(context, given) {
    const { id: tenantId } = await findTenant(context, at(given, 0));
    const { flags } = given;
    return runImport(context, {
      tenantId,
      dryRun: flags.has('dry-run'),
      allOrNothing: flags.has('all-or-nothing'),
    });
  },
};

/** Typed twice by a person, once by a program. */
async function readNewPassword({ terminal }: CommandContext): Promise<string> {
  const password = await terminal.readSecret('password: ');
  if (password === '') throw new UsageError('expected a password, typed or on standard input');
  if (terminal.interactive && (await terminal.readSecret('again: ')) !== password)
    throw new CommandError('the two passwords differ');
  return password;
}
