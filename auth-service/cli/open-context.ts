import { passwordRules, readConfig } from '../config.ts';
import { migrate, openDatabase, pendingMigrations, prepareServiceRoleOf } from '../database/index.ts';
import { type BcryptPool, createPasswordPolicy, createPasswords, openBcryptPool } from '../passwords/index.ts';
import { createSealer } from '../tokens/index.ts';
import { requireKnownPeppers } from '../use-cases/index.ts';
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
  try {
    return await work({
      config,
      database,
      sealer: createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey),
      terminal: openTerminal(stdin, stderr),
      author: operatorHere('portico-auth'),
      now: () => new Date(),
      bcrypt,
      async passwords() {
        const options = { ...config.passwords, bcrypt: bcrypt() };
        await requireKnownPeppers(database, options, new Date());
        return createPasswords(options);
      },
      policy: createPasswordPolicy(passwordRules(config)),
    });
  } finally {
    await pool?.close();
    await database.close();
  }
}
