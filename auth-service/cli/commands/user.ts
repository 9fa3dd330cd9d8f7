import { recordAudit } from '../../audit/index.ts';
import { addUser, createDisableUser, createEnableUser, resetPassword } from '../../use-cases/index.ts';
import { type CommandContext, type DatabaseCommandRuns, positionalAt, singleOption } from '../command.ts';
import { CommandError, UsageError } from '../command-errors.ts';
import { runImport } from '../import-users.ts';
import { USERS_PER_LIST } from '../page-sizes.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { recordClaims } from '../record-claims.ts';
import {
  DEFAULT_ROLES,
  findTenant,
  findUser,
  readClaimOptions,
  readRoles,
  readUsername,
  roleOptions,
} from '../subjects.ts';

export const userCommands: DatabaseCommandRuns = {
  async 'user add'(context, given) {
    const { id: tenantId, name: tenantName } = await findTenant(context, positionalAt(given, 0));
    const username = readUsername(positionalAt(given, 1));
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
    return messageOutcome('the user was added', { tenant_id: tenantId, username, roles: roles.allowedRoles });
  },

  async 'user list'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
    const after = singleOption(given.options, 'after');
    const from = after === undefined ? {} : { username: { gt: readUsername(after) } };
    const users = await context.database.inTenant(tenantId, ({ user }) =>
      user.findMany({ where: { tenantId, ...from }, orderBy: { username: 'asc' }, take: USERS_PER_LIST }),
    );
    return listOutcome(
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
    const user = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const { ended } = await createDisableUser(context.database, context.now, context.author)(user);
    return messageOutcome(`the user is disabled, ${ended} sessions ended`, {
      user_id: user.userId,
      ended_sessions: ended,
    });
  },

  async 'user enable'(context, given) {
    const user = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    await createEnableUser(context.database, context.now, context.author)(user);
    return messageOutcome('the user is enabled', { user_id: user.userId });
  },

  async 'user set-roles'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const { allowedRoles, defaultRole } = readRoles(
      given.positionals.slice(2),
      singleOption(given.options, 'default-role'),
    );
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
    return messageOutcome('the roles are set; they count from the next login or refresh on', facts);
  },

  async 'user set-claims'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const claims = readClaimOptions(given.positionals.slice(2));
    const where = { tenantId_id: { tenantId, id: userId } };
    await context.database.inTenant(tenantId, async (transaction) => {
      await transaction.user.update({ where, data: { claims } });
      const subject = { kind: 'user', id: userId } as const;
      await recordClaims(context, transaction, { event: 'user.set-claims', tenantId, subject, claims });
    });
    return messageOutcome(`the user has ${Object.keys(claims).length} extra claims`, { user_id: userId, claims });
  },

  async 'user reset-password'(context, given) {
    const user = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const passwords = await context.passwords();
    const password = await resetPassword(context.database, passwords, user, context.now, context.author);
    if (password === undefined) throw new CommandError('there is no such user in this tenant');
    return messageOutcome(`the new password, which is shown this once: ${password}`, {
      user_id: user.userId,
      password,
    });
  },

  async 'user import'(context, given) {
    const { id: tenantId } = await findTenant(context, positionalAt(given, 0));
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
