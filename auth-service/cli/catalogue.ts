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
    help: 'Adds a tenant. Its users log in with the id.',
  },
  {
    name: 'tenant list',
    parameters: [],
    help: 'Lists the tenants.',
  },
  {
    name: 'tenant disable',
    parameters: ['<tenant>'],
    help: 'Locks out all users of a tenant immediately: logins and refreshes are rejected, and all access tokens are revoked.',
  },
  {
    name: 'tenant enable',
    parameters: ['<tenant>'],
    help: 'Lets the users of a tenant log in again. Earlier sessions stay ended.',
  },
  {
    name: 'tenant set-assignable',
    parameters: ['<tenant>'],
    options: ['role', 'claim', 'scope'],
    help:
      'Sets the roles, extra claim names and scopes that the administrators of a tenant may assign to its users and ' +
      'service accounts. Replaces the previous values. Each option can be repeated; without options, nothing may be assigned.',
  },
  {
    name: 'tenant set-claims',
    parameters: ['<tenant>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of all users of a tenant. Replaces the previous claims. If a claim is removed or ' +
      'changed, the access tokens of the tenant are revoked.',
  },
  {
    name: 'role set-claims',
    parameters: ['<tenant>', '<role>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of all users with a role in a tenant. Replaces the previous claims. If a claim is ' +
      'removed or changed, the access tokens of the tenant are revoked.',
  },
];

const userCommandSpecs: readonly Command[] = [
  {
    name: 'user add',
    parameters: ['<tenant>', '<username>'],
    options: ['role', 'default-role'],
    help: 'Adds a user. Prompts for the password, or reads it from standard input. The default role is "user".',
  },
  {
    name: 'user list',
    parameters: ['<tenant>'],
    options: ['after'],
    help: `Lists the users of a tenant by name, at most ${USERS_PER_LIST}; --after <username> continues after that name.`,
  },
  {
    name: 'user disable',
    parameters: ['<tenant>', '<username>'],
    help: 'Locks out a user immediately: logins are rejected, all sessions end, and all access tokens are revoked.',
  },
  {
    name: 'user enable',
    parameters: ['<tenant>', '<username>'],
    help: 'Lets a user log in again. Earlier sessions stay ended.',
  },
  {
    name: 'user set-roles',
    parameters: ['<tenant>', '<username>', '<role>...'],
    options: ['default-role'],
    help: 'Sets the roles of a user. Replaces the previous roles. Access tokens with a removed role are revoked.',
  },
  {
    name: 'user set-claims',
    parameters: ['<tenant>', '<username>', '<name=value>...'],
    optional: 1,
    help:
      'Sets the extra x-hasura-* claims of a user. Replaces the previous claims. Access tokens with a removed or changed ' +
      'claim are revoked.',
  },
  {
    name: 'user reset-password',
    parameters: ['<tenant>', '<username>'],
    help: 'Generates a new password for a user, prints it once, and ends all sessions of the user.',
  },
  {
    name: 'user delete',
    parameters: ['<tenant>', '<username>'],
    help: 'Deletes a user and all related data permanently. The audit log keeps its entries, with the user id only.',
  },
  {
    name: 'user release',
    parameters: ['<tenant>', '<username>'],
    help: 'Clears the failed logins of a user, so that the user can log in immediately.',
  },
  {
    name: 'user import',
    parameters: ['<tenant>'],
    flags: ['dry-run', 'all-or-nothing'],
    help:
      'Imports users and their bcrypt password hashes from standard input: CSV with a header line, or one JSON object ' +
      'per line. Fields: username, password_hash, and optionally roles, default_role, disabled. If lines cannot be ' +
      'imported, they are listed and the exit code is 1. With --all-or-nothing, no user is imported in that case.',
  },
];

const sessionCommandSpecs: readonly Command[] = [
  {
    name: 'session list',
    parameters: ['<tenant>', '<username>'],
    help: 'Lists the open sessions of a user, most recently used first.',
  },
  {
    name: 'session revoke',
    parameters: ['<tenant>', '<username>', '<session id>'],
    optional: 1,
    flags: ['all'],
    help: 'Ends one session of a user, or all sessions with --all, and revokes their access tokens.',
  },
];

const clientCommandSpecs: readonly Command[] = [
  {
    name: 'client add',
    parameters: ['<tenant>', '<name>'],
    options: ['role', 'default-role', 'scope'],
    help: 'Adds a service account with at least one role and any scopes, and prints its secret once.',
  },
  {
    name: 'client list',
    parameters: ['<tenant>'],
    help: 'Lists the service accounts of a tenant.',
  },
  {
    name: 'client revoke',
    parameters: ['<tenant>', '<client id>'],
    help: 'Revokes a service account permanently: its secret and its access tokens stop working.',
  },
];

const keyCommandSpecs: readonly Command[] = [
  {
    name: 'key list',
    parameters: [],
    help: 'Lists the signing keys and the next step in their rotation.',
  },
  {
    name: 'key rotate',
    parameters: [],
    help:
      'Publishes a new signing key and creates a new refresh token key. The signing key is used once every verifier knows ' +
      'it, the refresh token key once every auth service knows it.',
  },
  {
    name: 'key retire',
    parameters: ['<kid>'],
    help: 'Removes a signing key that is not in use for signing. Tokens signed with it are rejected within minutes.',
  },
  {
    name: 'key reseal',
    parameters: [],
    help:
      'Encrypts the signing keys and the refresh token keys with AUTH_KEY_ENCRYPTION_KEY if they are still encrypted with ' +
      'AUTH_KEY_ENCRYPTION_KEY_PREVIOUS. The previous key is no longer needed afterwards.',
  },
];

const pepperCommandSpecs: readonly Command[] = [
  {
    name: 'pepper accept',
    parameters: ['<version>'],
    help:
      'Accepts the pepper that the settings have for this version, although the database knows a different one. ' +
      'Users whose hash was made with the other pepper can no longer log in.',
  },
];

const auditCommandSpecs: readonly Command[] = [
  {
    name: 'audit',
    parameters: [],
    options: ['tenant', 'user', 'event', 'since', 'limit', 'after'],
    help:
      'Prints the audit log, newest entries first: of all tenants and the platform, or of one --tenant. --user is a name in ' +
      'that tenant, or an id. --since is an ISO 8601 time, or an age such as 30m, 12h or 7d. ' +
      `--limit defaults to ${AUDIT_ENTRIES.default}, with a maximum of ${AUDIT_ENTRIES.most}; --after <id> continues after that entry.`,
  },
];

const databaseCommandSpecs: readonly Command[] = [
  {
    name: 'database setup',
    parameters: [],
    help:
      'Creates the owner of the tables (AUTH_DATABASE_OWNER_URL) and the user of the service (DATABASE_URL), to whom ' +
      'row-level security applies, and applies the migrations. Connects with AUTH_DATABASE_ADMIN_URL. Safe to repeat.',
  },
];

const doctorCommandSpecs: readonly Command[] = [
  {
    name: 'doctor',
    parameters: [],
    options: ['url'],
    help:
      'Checks settings, database, migrations, keys and clock, and checks that the gateway and the service respond. --url ' +
      'is the address of the service; it defaults to the address in the settings. Changes nothing.',
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
