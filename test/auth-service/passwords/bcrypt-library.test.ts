import { describe, expect, test } from '@jest/globals';
import {
  type BcryptLibrary,
  javascriptBcrypt,
  loadNativeBcrypt,
} from '../../../auth-service/passwords/bcrypt-library.ts';
import { compareInFullTime } from '../../../auth-service/passwords/full-time.ts';

const native = loadNativeBcrypt();
if (!native) throw new Error('@node-rs/bcrypt cannot be loaded on this machine, so its agreement cannot be tested');

describe.each([
  ['native hashes read by bcryptjs', native, javascriptBcrypt],
  ['bcryptjs hashes read by the native library', javascriptBcrypt, native],
])('%s', (_what, maker, reader) => {
  test.each([
    ['ASCII', 'correct horse', 'correct horsf'],
    ['nothing', '', ' '],
    ['a NUL', 'pass\u0000word', 'pass\u0000ward'],
    ['a NUL at the end', 'password\u0000', 'password'],
    ['letters of several bytes', 'pässwörd', 'password'],
    ['emoji', '🦊🐻', '🦊🦊'],
    ['exactly 72 bytes', 'x'.repeat(72), `${'x'.repeat(71)}y`],
    ['a sign that is cut at the 72nd byte', `${'x'.repeat(71)}é`, `${'x'.repeat(71)}a`],
  ])('agree on %s', (_text, password, other) => {
    const hash = maker.hash(password, 4);

    expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
    expect(reader.compare(password, hash)).toBe(true);
    expect(reader.compare(other, hash)).toBe(false);
  });

  test.each(['2a', '2y'])('agree on $%s$', (version) => {
    const hash = maker.hash('password', 4).replace('$2b$', `$${version}$`);

    expect(reader.compare('password', hash)).toBe(true);
    expect(reader.compare('passwort', hash)).toBe(false);
  });

  test('both cut at 72 bytes, as bcrypt does', () => {
    expect(reader.compare(`${'x'.repeat(72)}anything`, maker.hash('x'.repeat(72), 4))).toBe(true);
    expect(reader.compare('x'.repeat(72), maker.hash(`${'x'.repeat(72)}anything`, 4))).toBe(true);
  });

  test.each(['', 'not a hash', '$2b$04$short'])('what is no hash matches nothing: %j', (hash) => {
    expect(reader.compare('', hash)).toBe(false);
  });
});

describe('a comparison', () => {
  /** Counts the rounds that bcrypt makes, in which its time is measured. */
  function counting(): BcryptLibrary & { rounds(): number } {
    let rounds = 0;
    return {
      name: 'bcryptjs',
      hash(_text, cost) {
        rounds += 2 ** cost;
        return '';
      },
      compare(_text, hash) {
        rounds += 2 ** Number(hash.slice(4, 6));
        return true;
      },
      rounds: () => rounds,
    };
  }

  test.each([
    ['a hash of the current cost', 10, 10, 2 ** 10],
    ['a cheaper one', 4, 10, 2 ** 10],
    ['one that is a step cheaper', 9, 10, 2 ** 10],
    ['a dearer one', 12, 10, 2 ** 12],
  ])('with %s takes as long as it should', (_what, itsCost, cost, rounds) => {
    const library = counting();
    const hash = `$2b$${String(itsCost).padStart(2, '0')}$${'a'.repeat(53)}`;

    expect(compareInFullTime(library, 'x', hash, cost)).toBe(true);
    expect(library.rounds()).toBe(rounds);
  });
});
