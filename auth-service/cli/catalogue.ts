import type { Command, CommandRun, CommandRuns, DatabaseCommandRuns } from './command.ts';
import { AUDIT_ENTRIES, USERS_PER_LIST } from './page-sizes.ts';

/** Commands and the module that runs them, which is loaded only for one of these commands. */
export interface CommandGroup {
  readonly commands: readonly Command[];
  load(): Promise<CommandRuns>;
}

const tenantCommandSpecs: readonly Command[] = [
  {
    name: 'tenant add',
    parameters: ['<id>', '<name>'],
    help: 'Adds a tenant. Its callers log in with the id.',
  },
  {
    name: 'tenant list',
    parameters: [],
    help: 'Lists the tenants.',
  },
  {
    name: 'tenant disable',
    parameters: ['<tenant>'],
    help: 'Locks a whole tenant out at once: no login, no refresh, all access tokens revoked.',
  },
  {
    name: 'tenant enable',
    parameters: ['<tenant>'],
    help: 'Lets the users of a tenant log in again. The sessions from before stay ended.',
  },
  {
    name: 'tenant set-assignable',
    parameters: ['<tenant>'],
    options: ['role', 'claim', 'scope'],
    help:
      'Sets the roles, names of extra claims and scopes that the tenant’s own administrators may give to its users and ' +
      'service accounts, in place of those that were set. Each option may be repeated; without any they may give nothing.',
  },
  {
    name: 'tenant set-claims',
    parameters: ['<tenant>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of all users of a tenant, in place of those that were set. When one is taken away or ' +
      'changed, the access tokens of the tenant are revoked.',
  },
  {
    name: 'role set-claims',
    parameters: ['<tenant>', '<role>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of all users with a role in a tenant, in place of those that were set. When one is ' +
      'taken away or changed, the access tokens of the tenant are revoked.',
  },
];

const userCommandSpecs: readonly Command[] = [
  {
    name: 'user add',
    parameters: ['<tenant>', '<username>'],
    options: ['role', 'default-role'],
    help: 'Adds a user. The password is asked for, or read from standard input. Without --role the role is "user".',
  },
  {
    name: 'user list',
    parameters: ['<tenant>'],
    options: ['after'],
    help: `Lists the users of a tenant by name, ${USERS_PER_LIST} at most; --after <username> goes on from there.`,
  },
  {
    name: 'user disable',
    parameters: ['<tenant>', '<username>'],
    help: 'Locks a user out at once: no login, no refresh, all sessions ended, all access tokens revoked.',
  },
  {
    name: 'user enable',
    parameters: ['<tenant>', '<username>'],
    help: 'Lets a user log in again. The sessions from before stay ended.',
  },
  {
    name: 'user set-roles',
    parameters: ['<tenant>', '<username>', '<role>...'],
    options: ['default-role'],
    help: 'Gives a user these roles in place of the present ones. Access tokens with a role that is taken away are revoked.',
  },
  {
    name: 'user set-claims',
    parameters: ['<tenant>', '<username>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of a user, in place of those that were set. Access tokens with one that is taken ' +
      'away or changed are revoked.',
  },
  {
    name: 'user reset-password',
    parameters: ['<tenant>', '<username>'],
    help: 'Gives a user a generated password, which is printed once, and ends all of the user’s sessions.',
  },
  {
    name: 'user delete',
    parameters: ['<tenant>', '<username>'],
    help: 'Deletes a user for good, with all that is stored of them; the audit log keeps what happened, by id.',
  },
  {
    name: 'user release',
    parameters: ['<tenant>', '<username>'],
    help: 'Forgets failed logins of a user, so that the right password is accepted at once.',
  },
  {
    name: 'user import',
    parameters: ['<tenant>'],
    flags: ['dry-run', 'all-or-nothing'],
    help:
      'Adds users with bcrypt hashes of their passwords from standard input: CSV with a header line, or one JSON object ' +
      'a line, with username, password_hash, and if wanted roles, default_role, disabled. Lines that cannot ' +
      'be imported are listed, and the exit code is 1; with --all-or-nothing they keep the others out.',
  },
];

const sessionCommandSpecs: readonly Command[] = [
  {
    name: 'session list',
    parameters: ['<tenant>', '<username>'],
    help: 'Lists the living sessions of a user, the one used last first.',
  },
  {
    name: 'session revoke',
    parameters: ['<tenant>', '<username>', '<session id>'],
    optional: 1,
    flags: ['all'],
    help: 'Ends one session of a user, or all of them with --all, and revokes their access tokens.',
  },
];

const clientCommandSpecs: readonly Command[] = [
  {
    name: 'client add',
    parameters: ['<tenant>', '<name>'],
    options: ['role', 'default-role', 'scope'],
    help: 'Adds a service account with these roles, one at least, and scopes, and prints its secret, once.',
  },
  {
    name: 'client list',
    parameters: ['<tenant>'],
    help: 'Lists the service accounts of a tenant.',
  },
  {
    name: 'client revoke',
    parameters: ['<tenant>', '<client id>'],
    help: 'Makes a service account’s secret worthless and revokes its access tokens, for good.',
  },
];

const keyCommandSpecs: readonly Command[] = [
  {
    name: 'key list',
    parameters: [],
    help: 'Lists the signing keys, with what happens to them next.',
  },
  {
    name: 'key rotate',
    parameters: [],
    help:
      'Publishes a new signing key, and makes a new key of refresh tokens. The running services use them once every ' +
      'verifier, or every service, knows them.',
  },
  {
    name: 'key retire',
    parameters: ['<kid>'],
    help: 'Removes a signing key that does not sign: tokens that it signed are refused within minutes.',
  },
  {
    name: 'key reseal',
    parameters: [],
    help:
      'Encrypts the signing keys and those of refresh tokens under AUTH_KEY_ENCRYPTION_KEY, where they are still under ' +
      'AUTH_KEY_ENCRYPTION_KEY_PREVIOUS. After it the previous one is needed no more.',
  },
];

const pepperCommandSpecs: readonly Command[] = [
  {
    name: 'pepper accept',
    parameters: ['<version>'],
    help:
      'Takes the pepper that the settings have for this version, though the database knows another one by it. ' +
      'To users whose hash was made with that one every password is wrong from then on.',
  },
];

const auditCommandSpecs: readonly Command[] = [
  {
    name: 'audit',
    parameters: [],
    options: ['tenant', 'user', 'event', 'since', 'limit', 'after'],
    help:
      'Prints what happened that matters to security, the newest first, of all tenants and the platform, or of one ' +
      '--tenant. --user is a name in that tenant, or an id. --since is a time in ISO 8601, or 30m, 12h, 7d ago. ' +
      `--limit ${AUDIT_ENTRIES.default}, ${AUDIT_ENTRIES.most} at most; --after <id> goes on from there.`,
  },
];

const databaseCommandSpecs: readonly Command[] = [
  {
    name: 'database setup',
    parameters: [],
    help:
      'Makes the owner of the tables (AUTH_DATABASE_OWNER_URL) and the user of the service (DATABASE_URL), who is bound by ' +
      'row-level security, and applies the migrations. Logs in as AUTH_DATABASE_ADMIN_URL. Can be repeated.',
  },
];

const doctorCommandSpecs: readonly Command[] = [
  {
    name: 'doctor',
    parameters: [],
    options: ['url'],
    help:
      'Checks settings, database, migrations, signing keys, clock, and whether the service (at --url, or where the ' +
      'settings say) and the gateway answer. Changes nothing.',
  },
];

/** The names and arguments of all commands, in the order of the help. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    commands: tenantCommandSpecs,
    load: async () => onDatabase((await import('./commands/tenant.ts')).tenantCommands),
  },
  {
    commands: userCommandSpecs,
    load: async () => onDatabase((await import('./commands/user.ts')).userCommands),
  },
  {
    commands: sessionCommandSpecs,
    load: async () => onDatabase((await import('./commands/session.ts')).sessionCommands),
  },
  {
    commands: clientCommandSpecs,
    load: async () => onDatabase((await import('./commands/client.ts')).clientCommands),
  },
  {
    commands: keyCommandSpecs,
    load: async () => onDatabase((await import('./commands/key.ts')).keyCommands),
  },
  {
    commands: pepperCommandSpecs,
    load: async () => onDatabase((await import('./commands/pepper.ts')).pepperCommands),
  },
  {
    commands: auditCommandSpecs,
    load: async () => onDatabase((await import('./commands/audit.ts')).auditCommands),
  },
  {
    commands: databaseCommandSpecs,
    load: async () => ({ 'database setup': (await import('./database-setup.ts')).databaseSetup }),
  },
  {
    commands: doctorCommandSpecs,
    load: async () => ({ doctor: (await import('./doctor.ts')).doctor }),
  },
];

/** @throws Error if the group has no function for the command. */
export async function loadCommand(command: Command): Promise<CommandRun> {
  const runs = await COMMAND_GROUPS.find(({ commands }) => commands.includes(command))?.load();
  const run = runs?.[command.name];
  if (!run) throw new Error(`no module runs the command "${command.name}"`);
  return run;
}

/** Opens the configured database before a command runs, and closes it afterwards. */
function onDatabase(runs: DatabaseCommandRuns): CommandRuns {
  return Object.fromEntries(
    Object.entries(runs).map(([name, run]): [string, CommandRun] => [
      name,
      async (process, given) => {
        const { withContext } = await import('./open-context.ts');
        return withContext((context) => run(context, given), process);
      },
    ]),
  );
}
