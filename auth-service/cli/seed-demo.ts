import { parseArgs } from 'node:util';
import { fail } from '../../platform/index.ts';
import { type Config, readConfig } from '../config.ts';
import { migrate, openDatabase } from '../database/index.ts';
import { createPasswords, openBcryptPool } from '../passwords/index.ts';
import { requireKnownPeppers } from '../use-cases/index.ts';
import { operatorHere } from './author.ts';
import { seedDemo } from './demo-data.ts';

const COMMAND_NAME = 'seed-demo';

/** `npm start` sets it for a data directory whose demo data is of an earlier version. */
const FROM_EARLIER_VERSION = 'from-earlier-version';

/** Puts the demo data into the database of the auth service's settings, which it migrates first. */
async function seedDemoData(config: Config, fromEarlierVersion: boolean): Promise<void> {
  await migrate(config.database.url, config.database);
  const database = openDatabase(config.database.url, config.database);
  const bcrypt = openBcryptPool(config.passwords);
  try {
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

try {
  const { values } = parseArgs({ options: { [FROM_EARLIER_VERSION]: { type: 'boolean', default: false } } });
  await seedDemoData(readConfig(), values[FROM_EARLIER_VERSION] === true);
} catch (error) {
  fail(COMMAND_NAME, error);
}
