import { createLogger } from '../../platform/index.ts';
import { openDatabaseClock } from '../clock/index.ts';
import { type Config, passwordRules, readConfig } from '../config.ts';
import {
  migrate,
  openDatabase,
  pendingMigrations,
  prepareServiceRoleOf,
  retryWhileUnavailable,
} from '../database/index.ts';
import { type BcryptPool, createPasswordPolicy, createPasswords, openBcryptPool } from '../passwords/index.ts';
import { openThrottle } from '../throttle/index.ts';
import { createSealer, type KeyPolicy } from '../tokens/index.ts';
import { createAdministration, requireKnownPeppers } from '../use-cases/index.ts';
import { operatorHere } from './author.ts';
import type { CommandContext, CommandProcess } from './command.ts';
import { openTerminal } from './terminal.ts';

/**
 * Opens the dependencies of commands, migrates the database, and closes everything after `work`.
 *
 * @throws SettingsError or StartError
 */
export async function withContext<Result>(
  work: (context: CommandContext) => Promise<Result>,
  { env, stdin, stderr }: CommandProcess,
): Promise<Result> {
  const config = readConfig(env);
  // The migration engine takes a second to start, and migrations are seldom pending.
  const { url } = config.database;
  await retryWhileUnavailable(url, config.database, async () => {
    if ((await pendingMigrations(url, config.database)).length > 0) await migrate(url, config.database);
    else await prepareServiceRoleOf(url, config.database);
  });
  const database = openDatabase(url, { poolSize: 2 });
  const sealer = createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  let pool: BcryptPool | undefined;
  const bcrypt = () => {
    pool ??= openBcryptPool({ ...config.passwords, threads: 1 });
    return pool;
  };
  const author = operatorHere('portico-auth');
  const logger = createLogger('portico-auth', 'silent');
  const clock = openDatabaseClock({ database, logger });
  const { now } = clock;
  const throttle = openThrottle({
    ...config.throttle,
    database,
    secret: config.keyEncryptionKey,
    maxWaiting: 0,
    now,
    logger,
  });
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
    // The operator sees a refusal immediately, and has all rights.
    recordRefusal: async () => {},
    throttledAccounts: throttle.accounts,
    // The running services reload keys by themselves.
    keys: { sealer, policy: keyPolicyOf(config), reload: async () => {} },
    now,
  });
  try {
    await retryWhileUnavailable(url, config.database, () => clock.measure());
    const context: CommandContext = {
      config,
      database,
      sealer,
      terminal: openTerminal(stdin, stderr),
      author,
      administrator: { kind: 'platform', account: 'command-line', author },
      administration,
      now,
      bcrypt,
      passwords,
      policy,
    };
    // Not retried: a command may have changed something before the database failed.
    return await retryWhileUnavailable(url, {}, () => work(context));
  } finally {
    await pool?.close();
    await database.close();
  }
}

function keyPolicyOf({ signingKeys, accessTokens }: Config): KeyPolicy {
  return { ...signingKeys, tokenSeconds: accessTokens.lifetimeSeconds };
}
