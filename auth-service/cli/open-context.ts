import { passwordRules, readConfig } from '../config.ts';
import { migrate, openDatabase, pendingMigrations, prepareServiceRoleOf } from '../database/index.ts';
import { type BcryptPool, createPasswordPolicy, createPasswords, openBcryptPool } from '../passwords/index.ts';
import { createSealer } from '../tokens/index.ts';
import { createAdministration, requireKnownPeppers } from '../use-cases/index.ts';
import { operatorHere } from './author.ts';
import type { CommandContext, CommandProcess } from './command.ts';
import { openTerminal } from './terminal.ts';

/**
 * Opens what commands work with, brings the database to the current schema, and closes everything after `work`.
 *
 * @throws SettingsError or StartError
 */
export async function withContext<Result>(
  work: (context: CommandContext) => Promise<Result>,
  { env, stdin, stderr }: CommandProcess,
): Promise<Result> {
  const config = readConfig(env);
  // The engine that migrates takes a second to start, and there is seldom something for it to do.
  const { url } = config.database;
  if ((await pendingMigrations(url, config.database)).length > 0) await migrate(url, config.database);
  else await prepareServiceRoleOf(url);
  const database = openDatabase(url, { poolSize: 2 });
  let pool: BcryptPool | undefined;
  const bcrypt = () => {
    pool ??= openBcryptPool({ ...config.passwords, threads: 1 });
    return pool;
  };
  const author = operatorHere('portico-auth');
  const now = () => new Date();
  const passwords = async () => {
    const options = { ...config.passwords, bcrypt: bcrypt() };
    await requireKnownPeppers(database, options, now());
    return createPasswords(options);
  };
  const policy = createPasswordPolicy(passwordRules(config));
  const administration = createAdministration({
    database,
    passwords,
    policy,
    roles: config.administration.roles,
    // An operator sees it at once, and wants nothing that they may not.
    recordRefusal: async () => {},
    now,
  });
  try {
    return await work({
      config,
      database,
      sealer: createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey),
      terminal: openTerminal(stdin, stderr),
      author,
      administrator: { kind: 'platform', author },
      administration,
      now,
      bcrypt,
      passwords,
      policy,
    });
  } finally {
    await pool?.close();
    await database.close();
  }
}
