import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isOwnSecret } from '../../gateway/own-secrets.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What stands in a table of settings, and not in one of texts. */
const SETTING = /^ {2}([A-Z][A-Z0-9_]+): ([a-zA-Z].*)$/gm;
const SECRET_NAME =
  /(SECRETS?|SECRET_PREVIOUS|_PASSWORD|PEPPERS?|ENCRYPTION_KEY(_PREVIOUS)?|ASSERTION_(STANDBY_)?KEY|ACCESS_KEY|_TOKEN)$/;
/** URLs that may hold a password. */
const SECRET_KIND = /\b(redisUrl|databaseUrl)\b/;

/** Names of settings in a source file that are secrets by their name or their kind. */
const secretsIn = (source: string) =>
  [...source.matchAll(SETTING)]
    // A setting that permits something is no secret, whatever it is about.
    .filter(
      ([, name = '', kind = '']) => (SECRET_NAME.test(name) || SECRET_KIND.test(kind)) && !name.includes('_UNSAFE_'),
    )
    .map(([, name = '']) => name);

const sources = ['gateway', 'auth-service'].flatMap((process) =>
  readdirSync(join(ROOT, process), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
    .map((file) => readFileSync(join(ROOT, process, file), 'utf8')),
);

test('metadata cannot name a secret of the gateway or of the auth service', () => {
  const secrets = new Set(sources.flatMap(secretsIn));
  expect(secrets.size).toBeGreaterThan(20);
  expect([...secrets].filter((name) => !isOwnSecret(name) || !isOwnSecret(`${name}_FILE`))).toEqual([]);
});

test('a setting that is forgotten is found', () => {
  const planted =
    '  PLANTED_SECRET: setting.text(),\n  PLANTED_URL: setting.redisUrl(),\n  PLANTED_PORT: setting.port(1),\n';
  expect(secretsIn(planted)).toEqual(['PLANTED_SECRET', 'PLANTED_URL']);
  expect(secretsIn(planted).some(isOwnSecret)).toBe(false);
});
