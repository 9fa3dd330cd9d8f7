import { parseArgs } from 'node:util';
import { fail, StartError } from '../../platform/index.ts';
import { type Config, readConfig } from '../config.ts';
import { migrate, openDatabase } from '../database/index.ts';
import { createPasswords, openBcryptPool } from '../passwords/index.ts';
import { requireKnownPeppers } from '../use-cases/index.ts';
import { operatorHere } from './author.ts';
import { hasOtherTenants, seedDemo } from './demo-data.ts';

const COMMAND_NAME = 'seed-demo';

/** `npm start` sets this flag for a data directory with demo data of an earlier version. */
const FROM_EARLIER_VERSION = 'from-earlier-version';

/** Everyone who reads this repository can log in as a demo user, and as the administrator of a demo tenant. */
const PUBLIC_PASSWORDS = 'unsafe-public-passwords';

interface SeedFlags {
  readonly fromEarlierVersion: boolean;
  /** Required in production and for a database with other tenants. */
  readonly allowsPublicPasswords: boolean;
}

/**
 * Migrates the auth service's configured database and adds the demo data.
 *
 * @throws StartError if the database may be in real use and no flag allows public passwords.
 */
async function seedDemoData(config: Config, { fromEarlierVersion, allowsPublicPasswords }: SeedFlags): Promise<void> {
  if (config.production && !allowsPublicPasswords) throw refusal('in production mode');
  await migrate(config.database.url, config.database);
  const database = openDatabase(config.database.url, config.database);
  const bcrypt = openBcryptPool(config.passwords);
  try {
    if (!allowsPublicPasswords && (await hasOtherTenants(database))) throw refusal('in a database with other tenants');
    const options = { ...config.passwords, bcrypt };
    await requireKnownPeppers(database, options, new Date());
    const seeded = await seedDemo(database, createPasswords(options), operatorHere(COMMAND_NAME), {
      withOperator: !config.production,
      fromEarlierVersion,
    });
    const tenants = seeded.tenants.join(', ') || 'none';
    process.stdout.write(`${COMMAND_NAME}: ${seeded.usersAdded} users added, tenants ${tenants}\n`);
    for (const reason of seeded.skipped) process.stderr.write(`${COMMAND_NAME}: ${reason}\n`);
  } finally {
    await bcrypt.close();
    await database.close();
  }
}

function refusal(where: string): StartError {
  return new StartError(
    `the demo accounts have public passwords: ${where} they are only added with --${PUBLIC_PASSWORDS}. Nothing was added`,
  );
}

try {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { [FROM_EARLIER_VERSION]: flag, [PUBLIC_PASSWORDS]: flag } });
  await seedDemoData(readConfig(), {
    fromEarlierVersion: values[FROM_EARLIER_VERSION],
    allowsPublicPasswords: values[PUBLIC_PASSWORDS],
  });
} catch (error) {
  fail(COMMAND_NAME, error);
}
