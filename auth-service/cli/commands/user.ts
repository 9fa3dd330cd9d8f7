import { placeAfter, readUsername } from '../../use-cases/index.ts';
import { type CommandContext, type DatabaseCommandRuns, positionalAt, singleOption } from '../command.ts';
import { passwordExpected, passwordsDiffer } from '../errors.ts';
import { runImport } from '../import-users.ts';
import { USERS_PER_LIST } from '../page-sizes.ts';
import { allPages } from '../pages.ts';
import { listOutcome, messageOutcome } from '../print.ts';
import { DEFAULT_ROLES, findTenant, findUser, readClaimOptions } from '../subjects.ts';

export const userCommands: DatabaseCommandRuns = {
  async 'user add'(context, given) {
    const { id: tenant_id } = await findTenant(context, positionalAt(given, 0));
    const { role: roles = DEFAULT_ROLES } = given.options;
    const default_role = singleOption(given.options, 'default-role') ?? null;
    const named = { tenant_id, username: positionalAt(given, 1), roles, default_role };
    const { user } = await context.administration.createUser(context.administrator, {
      ...named,
      password: await readNewPassword(context),
    });
    const facts = { tenant_id, username: user.username, roles: user.allowedRoles };
    return messageOutcome('the user is added', facts);
  },

  async 'user list'(context, given) {
    const { id: tenant_id } = await findTenant(context, positionalAt(given, 0));
    const after = singleOption(given.options, 'after');
    const from = after === undefined ? null : placeAfter(readUsername(after));
    const { administration, administrator } = context;
    const users = await allPages(
      (page) => administration.listUsers(administrator, { tenant_id, ...page, after: page.after ?? from }),
      USERS_PER_LIST,
    );
    return listOutcome(
      users.map(({ username, userId, allowedRoles, defaultRole, createdAt, disabledAt, claims }) => ({
        username,
        id: userId,
        roles: allowedRoles,
        default_role: defaultRole,
        created_at: createdAt,
        disabled_at: disabledAt,
        claims,
      })),
    );
  },

  async 'user disable'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const input = { tenant_id: tenantId, user_id: userId };
    const { ended } = await context.administration.disableUser(context.administrator, input);
    return messageOutcome(`the user is disabled; ${ended} sessions ended`, { user_id: userId, ended_sessions: ended });
  },

  async 'user enable'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    await context.administration.enableUser(context.administrator, { tenant_id: tenantId, user_id: userId });
    return messageOutcome('the user is enabled', { user_id: userId });
  },

  async 'user set-roles'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const roles = given.positionals.slice(2);
    const default_role = singleOption(given.options, 'default-role') ?? null;
    const input = { tenant_id: tenantId, user_id: userId, roles, default_role };
    const { user } = await context.administration.setRoles(context.administrator, input);
    const facts = { user_id: userId, roles: user.allowedRoles, default_role: user.defaultRole };
    return messageOutcome('the roles are set; they take effect at the next login or refresh', facts);
  },

  async 'user set-claims'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const input = { tenant_id: tenantId, user_id: userId, claims: readClaimOptions(given.positionals.slice(2)) };
    const { claims } = (await context.administration.setClaims(context.administrator, input)).user;
    return messageOutcome(`the user has ${Object.keys(claims).length} extra claims`, { user_id: userId, claims });
  },

  async 'user reset-password'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const input = { tenant_id: tenantId, user_id: userId };
    const { password } = await context.administration.resetPassword(context.administrator, input);
    return messageOutcome(`the new password (shown only once): ${password}`, { user_id: userId, password });
  },

  async 'user delete'(context, given) {
    const { tenantId, userId, username } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    const input = { tenant_id: tenantId, user_id: userId, username };
    const { ended } = await context.administration.deleteUser(context.administrator, input);
    return messageOutcome(`the user is deleted; ${ended} sessions ended`, { user_id: userId, ended_sessions: ended });
  },

  async 'user release'(context, given) {
    const { tenantId, userId } = await findUser(context, positionalAt(given, 0), positionalAt(given, 1));
    await context.administration.releaseAccount(context.administrator, { tenant_id: tenantId, user_id: userId });
    return messageOutcome('the failed logins of the user are cleared', { user_id: userId });
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

/** People type the password twice, programs once. */
async function readNewPassword({ terminal }: CommandContext): Promise<string> {
  const password = await terminal.readSecret('password: ');
  if (password === '') throw passwordExpected();
  if (terminal.interactive && (await terminal.readSecret('password again: ')) !== password) throw passwordsDiffer();
  return password;
}
