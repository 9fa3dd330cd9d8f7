import { recordAudit } from '../../audit/index.ts';
import { addUser, addUsers, createDisableUser, createEnableUser, resetPassword } from '../../use-cases/index.ts';
import { at, type CommandContext, CommandError, type DatabaseCommand, one, UsageError } from '../command.ts';
import { readImport } from '../import-file.ts';
import { done, list } from '../print.ts';
import { recordClaims } from '../record-claims.ts';
import { findTenant, findUser, readClaims, readRoles, readUsername, roleOptions } from '../subjects.ts';

const PAGE = 1_000;
const BATCH = 500;
const DEFAULT_ROLES = ['user'];

export const userCommands: readonly DatabaseCommand[] = [
  {
    name: 'user add',
    parameters: ['<tenant>', '<username>'],
    options: ['role', 'default-role'],
    help: 'Adds a user. The password is asked for, or read from standard input. Without --role the role is "user".',
    async run(context, given) {
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
  },
  {
    name: 'user list',
    parameters: ['<tenant>'],
    options: ['after'],
    help: `Lists the users of a tenant by name, ${PAGE} at most; --after <username> goes on from there.`,
    async run(context, given) {
      const { id: tenantId } = await findTenant(context, at(given, 0));
      const after = one(given.options, 'after');
      const from = after === undefined ? {} : { username: { gt: readUsername(after) } };
      const users = await context.database.inTenant(tenantId, ({ user }) =>
        user.findMany({ where: { tenantId, ...from }, orderBy: { username: 'asc' }, take: PAGE }),
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
  },
  {
    name: 'user disable',
    parameters: ['<tenant>', '<username>'],
    help: 'Locks a user out at once: no login, no refresh, all sessions ended, all access tokens revoked.',
    async run(context, given) {
      const user = await findUser(context, at(given, 0), at(given, 1));
      const { ended } = await createDisableUser(context.database, context.now, context.author)(user);
      return done(`the user is disabled, ${ended} sessions ended`, { user_id: user.userId, ended_sessions: ended });
    },
  },
  {
    name: 'user enable',
    parameters: ['<tenant>', '<username>'],
    help: 'Lets a user log in again. The sessions from before stay ended.',
    async run(context, given) {
      const user = await findUser(context, at(given, 0), at(given, 1));
      await createEnableUser(context.database, context.now, context.author)(user);
      return done('the user is enabled', { user_id: user.userId });
    },
  },
  {
    name: 'user set-roles',
    parameters: ['<tenant>', '<username>', '<role>...'],
    options: ['default-role'],
    help: 'Gives a user these roles in place of the present ones. Tokens that are out keep theirs until they expire.',
    async run(context, given) {
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
  },
  {
    name: 'user set-claims',
    parameters: ['<tenant>', '<username>', '<name=value>...'],
    optional: 1,
    help: 'Sets the extra x-hasura-* claims of a user, in place of those that were set.',
    async run(context, given) {
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
  },
  {
    name: 'user reset-password',
    parameters: ['<tenant>', '<username>'],
    help: 'Gives a user a generated password, which is printed once, and ends all of the user’s sessions.',
    async run(context, given) {
      const user = await findUser(context, at(given, 0), at(given, 1));
      const passwords = await context.passwords();
      const password = await resetPassword(context.database, passwords, user, context.now, context.author);
      if (password === undefined) throw new CommandError('there is no such user in this tenant');
      return done(`the new password, which is shown this once: ${password}`, { user_id: user.userId, password });
    },
  },
  {
    name: 'user import',
    parameters: ['<tenant>'],
    flags: ['dry-run'],
    help:
      'Adds users with bcrypt hashes of their passwords from standard input: CSV with a header line, or one JSON object ' +
      'a line, with username, password_hash, and if wanted roles, default_role, disabled. All lines, or none.',
    async run(context, given) {
      const { id: tenantId } = await findTenant(context, at(given, 0));
      const { users, problems } = readImport(await context.terminal.readAll(), context.config.passwords.importMaxCost);
      if (problems.length > 0) throw new CommandError(['nothing was imported:', ...problems].join('\n  '));
      const dryRun = given.flags.has('dry-run');
      const added = dryRun ? 0 : await importUsers(context, tenantId, users);
      const facts = { tenant_id: tenantId, read: users.length, added, dry_run: dryRun };
      return done(
        dryRun
          ? `${users.length} users could be imported`
          : `${added} users added, ${users.length - added} were there already and stay as they are`,
        facts,
      );
    },
  },
];

type ImportedUsers = ReturnType<typeof readImport>['users'];

function importUsers(
  { database, now, author }: CommandContext,
  tenantId: number,
  users: ImportedUsers,
): Promise<number> {
  return database.inTenant(
    tenantId,
    async (transaction) => {
      let added = 0;
      for (let start = 0; start < users.length; start += BATCH) {
        const batch = users.slice(start, start + BATCH).map((user) => ({ tenantId, ...user }));
        added += (await addUsers(transaction, batch, now())).length;
      }
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      const what = {
        at: now(),
        event: 'user.import',
        outcome: 'success',
        tenantId,
        subject,
        details: { added },
      } as const;
      if (added > 0) await recordAudit(transaction, { ...author, ...what });
      return added;
    },
    { timeoutMs: 600_000 },
  );
}

/** Typed twice by a person, once by a program. */
async function readNewPassword({ terminal }: CommandContext): Promise<string> {
  const password = await terminal.readSecret('password: ');
  if (password === '') throw new UsageError('expected a password, typed or on standard input');
  if (terminal.interactive && (await terminal.readSecret('again: ')) !== password)
    throw new CommandError('the two passwords differ');
  return password;
}
