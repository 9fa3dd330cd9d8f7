import { createHmac } from 'node:crypto';
import { StartError } from '../../platform/index.ts';
import { type Author, PLATFORM, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { createPasswords, type PasswordOptions, type Passwords } from '../passwords/index.ts';

/**
 * With a wrong pepper, every password is wrong without any other symptom. The database therefore stores the hash of a fixed
 * text for each version, which each start compares.
 *
 * The hash is made like those of passwords, with the same cost. An attacker with a copy of the database thus has no cheaper way
 * to guess peppers than by the hash of a known password, such as the attacker's own.
 */
const CHECKED_TEXT = 'portico: the pepper is the one from before';

/** Keeps the stored hash from being a valid password hash: copied to a user, it matches no password. */
const KEY_PURPOSE = 'portico pepper check';

/** `new`: the database does not know this version yet. */
export type PepperVerification = 'same' | 'different' | 'new';

/** Compares each configured pepper with the database. Changes nothing, and computes one bcrypt hash for each pepper. */
export async function verifyPeppers(
  database: Database,
  options: PasswordOptions,
): Promise<ReadonlyMap<number, PepperVerification>> {
  const recorded = await readChecks(database);
  const verdicts = new Map<number, PepperVerification>();
  for (const version of options.peppers.secrets.keys()) {
    const hash = recorded.get(version);
    if (hash === undefined) verdicts.set(version, 'new');
    else verdicts.set(version, (await checkerFor(version, options).verify(CHECKED_TEXT, hash)) ? 'same' : 'different');
  }
  return verdicts;
}

/**
 * Records peppers that the database does not know yet. If several processes have different peppers of one version, the first
 * one's is recorded and the others are refused.
 *
 * @throws StartError if a pepper differs from the recorded one of its version.
 */
export async function requireKnownPeppers(database: Database, options: PasswordOptions, now: Date): Promise<void> {
  const verdicts = await verifyPeppers(database, options);
  refuseDifferent(verdicts);
  const added = [...verdicts].filter(([, verdict]) => verdict === 'new').map(([version]) => version);
  if (added.length === 0) return;
  // One after another, since the queue for computations may have no room.
  const data: { version: number; hash: string; createdAt: Date }[] = [];
  for (const version of added)
    data.push({ version, hash: await checkerFor(version, options).hash(CHECKED_TEXT), createdAt: now });
  const { count } = await database.withoutTenant(
    ({ pepperCheck }) => pepperCheck.createMany({ data, skipDuplicates: true }),
    { operation: 'check-peppers' },
  );
  if (count < added.length) refuseDifferent(await verifyPeppers(database, options));
}

/** Accepts the configured pepper of this version from now on. @throws RangeError if the settings have none. */
export async function acceptPepper(
  database: Database,
  options: PasswordOptions,
  version: number,
  now: Date,
  author: Author,
): Promise<void> {
  const hash = await checkerFor(version, options).hash(CHECKED_TEXT);
  await database.withoutTenant(async (transaction) => {
    const row = { hash, createdAt: now };
    await transaction.pepperCheck.upsert({ where: { version }, create: { version, ...row }, update: row });
    await recordAudit(transaction, {
      ...author,
      at: now,
      event: 'pepper.accept',
      outcome: 'success',
      tenantId: PLATFORM,
      subject: { kind: 'pepper', id: String(version) },
    });
  });
}

async function readChecks(database: Database): Promise<ReadonlyMap<number, string>> {
  const rows = await database.withoutTenant(({ pepperCheck }) => pepperCheck.findMany(), {
    operation: 'check-peppers',
  });
  return new Map(rows.map(({ version, hash }) => [version, hash]));
}

function checkerFor(version: number, { bcrypt, cost, peppers }: PasswordOptions): Passwords {
  const secret = peppers.secrets.get(version);
  if (secret === undefined) throw new RangeError(`there is no pepper of version ${version}`);
  const derived = createHmac('sha384', secret).update(KEY_PURPOSE).digest('base64');
  return createPasswords({ bcrypt, cost, peppers: { current: version, secrets: new Map([[version, derived]]) } });
}

function refuseDifferent(verdicts: ReadonlyMap<number, PepperVerification>): void {
  for (const [version, verdict] of verdicts)
    if (verdict === 'different') {
      const setting = version === 1 && verdicts.size === 1 ? 'AUTH_PASSWORD_PEPPER' : 'AUTH_PASSWORD_PEPPERS';
      throw new StartError(
        `${setting}: the pepper of version ${version} differs from the pepper that this database knows, so all passwords that ` +
          'were hashed with the other pepper would be rejected. Set the pepper that belongs to this database, and add a new pepper ' +
          'under its own version in AUTH_PASSWORD_PEPPERS (docs/passwords.md). If the old pepper is lost, run ' +
          `portico-auth pepper accept ${version}`,
      );
    }
}
