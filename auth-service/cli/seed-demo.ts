import { fail } from '../../platform/index.ts';
import { type Config, readConfig } from '../config.ts';
import { migrate, openDatabase } from '../database/index.ts';
import { createPasswords, openBcryptPool } from '../passwords/index.ts';
import { requireKnownPeppers } from '../use-cases/index.ts';
import { operatorHere } from './author.ts';
import { DEMO_TENANTS, seedDemo } from './demo-data.ts';

const COMMAND_NAME = 'seed-demo';

/** Puts the demo data into the database of the auth service's settings, which it migrates first. */
async function seedDemoData(config: Config): Promise<void> {
  await migrate(config.database.url, config.database);
  const database = openDatabase(config.database.url, config.database);
  const bcrypt = openBcryptPool(config.passwords);
  try {
    const options = { ...config.passwords, bcrypt };
    await requireKnownPeppers(database, options, new Date());
    const added = await seedDemo(database, createPasswords(options), operatorHere(COMMAND_NAME));
    const tenants = DEMO_TENANTS.map(({ name }) => name).join(', ');
    process.stdout.write(`${COMMAND_NAME}: ${added} users added, tenants ${tenants}\n`);
  } finally {
    await bcrypt.close();
    await database.close();
  }
}

try {
  await seedDemoData(readConfig());
} catch (error) {
  fail(COMMAND_NAME, error);
}
