import { describe, expect, test } from '@jest/globals';
import { commonPasswords } from '../../../auth-service/passwords/common-passwords.ts';
import { COMMON_ROOTS, FIRST_ROOTS } from '../../../auth-service/passwords/common-roots.ts';
import { createPasswordPolicy } from '../../../auth-service/passwords/index.ts';

const ALICE = { username: 'alice.smith@example.com', tenantName: 'Acme Corp' };

const policy = createPasswordPolicy({ minLength: 15, serviceNames: ['portico'] });
const lax = createPasswordPolicy({ minLength: 8, serviceNames: ['portico'] });
const problemWith = (password: string, { owner = ALICE, by = policy } = {}) => by.problemWith(password, owner)?.code;

describe('a new password', () => {
  test.each([
    ['a few words', 'tulips on a raft'],
    ['15 random digits', '839204718560297'],
    ['15 of one kind of letter', 'wvnkrtqmbzlcxhs'],
    ['spaces inside and around', '  t  u  l  p  k  w '],
    ['control characters', 'nul \u0000 and \u001b are fine'],
    ['letters of any script', 'мои ключи в саду'],
    ['15 emoji', '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤🦆'],
    ['64 emoji', '🦊🐻🐼🐨🐯🦁🐮🐷'.repeat(8)],
    ['1,024 bytes', 'tulips and raft '.repeat(64)],
  ])('may be %s', (_what, password) => {
    expect(problemWith(password)).toBeUndefined();
  });

  test.each([
    ['nothing', '', 'password-too-short'],
    ['14 characters', 'wvnkrtqmbzlcxh', 'password-too-short'],
    ['14 emoji, which are 28 units', '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧🐦🐤', 'password-too-short'],
    ['15 signs that are 14 when composed', 'wvnkrtqmbzlce\u0301h', 'password-too-short'],
    ['1,025 bytes', 'x'.repeat(1025), 'password-too-long'],
    ['1,026 bytes in 513 letters', 'é'.repeat(513), 'password-too-long'],
    ['a megabyte', 'x'.repeat(1_048_576), 'password-too-long'],
    ['half of an emoji', 'tulips on a raft \ud83e', 'password-not-unicode'],
  ])('may not be %s', (_what, password, code) => {
    expect(problemWith(password)).toBe(code);
  });

  test('is counted in its composed form, which may also be longer', () => {
    expect(problemWith('\ufb03\ufb03\ufb03\ufb03\ufb03')).toBeUndefined();
    expect(problemWith('\ufb03\ufb03\ufb03\ufb03')).toBe('password-too-short');
  });

  test.each([
    'password1234567',
    'PASSWORDPASSWORD',
    'Passwordpassword1',
    'ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ',
    'p@ssw0rd12345678',
    '123456789012345',
    '987654321098765',
    'qwertyuiopasdfgh',
    '1q2w3e4r5t6y7u8i',
    '1qaz2wsx3edc4rfv',
    'aaaaaaaaaaaaaaaa',
    '123123123123123123',
    'abcabcabcabcabc',
    'iloveyouforever',
    'administrator2024',
    'sunshineprincess',
    'correct horse battery staple',
    'the-quick-brown-fox',
    ' '.repeat(15),
    '-'.repeat(40),
    '§'.repeat(20),
    '🦊'.repeat(15),
  ])('is rejected as a common password: %s', (password) => {
    expect(problemWith(password)).toBe('password-too-common');
  });

  test.each([
    'password',
    'Password1',
    'password123!',
    'P@ssw0rd',
    '12345678',
    'qwertyui',
    'qwerty123',
    'iloveyou',
    'iloveyou1',
    'sunshine',
    'princess1',
    'football',
    'baseball2020',
    'trustno1',
    'superman',
    'starwars',
    'computer',
    'letmein1',
    'Summer2024!',
    'Winter2023',
    'welcome123',
    'admin1234',
    '1q2w3e4r',
    '1qaz2wsx',
    'zaq12wsx',
    'abcd1234',
    '11111111',
    '11223344',
    '87654321',
    '123qweasd',
    'monkey12',
    'dragon99',
    'michael1',
    'charlie123',
    'jordan23',
    'changeme',
  ])('is rejected as a common password where 8 characters are enough: %s', (password) => {
    expect(problemWith(password, { by: lax })).toBe('password-too-common');
  });

  test.each([
    ['the username', 'alice.smith@example.com'],
    ['the username in another case and form', 'ＡＬＩＣＥ.SMITH@example.com'],
    ['the parts of the username, with a number', 'smith.alice.2024'],
    ['the tenant', 'acme corp acme corp'],
    ['the service', 'porticoporticoportico'],
    ['all of them', 'alice@acme-portico'],
    ['the username and seven signs more', 'alice.smith@example.com7654xyz'],
  ])('is refused when it is made of names: %s', (_what, password) => {
    expect(problemWith(password)).toBe('password-from-names');
  });

  test('may hold a name beside enough that is none', () => {
    expect(problemWith('alice.smith@example.com76543xyz')).toBeUndefined();
    expect(problemWith('acme tulips on a raft')).toBeUndefined();
  });

  test('is not refused for parts of names of one or two letters', () => {
    expect(problemWith('al al al al al al', { owner: { username: 'al', tenantName: 'xy' } })).toBeUndefined();
  });

  test('is judged by names even when these are patterns or nothing', () => {
    expect(problemWith('tulips on a raft', { owner: { username: '.*', tenantName: '' } })).toBeUndefined();
    expect(problemWith('$&$&$&$&$&$&$&$&', { owner: { username: '$&$&', tenantName: '(((' } })).toBe(
      'password-from-names',
    );
  });

  test('is judged also when it and the names are long', () => {
    const owner = { username: 'a.'.repeat(127), tenantName: 'bcd '.repeat(60) };
    expect(problemWith(`${'bcd'.repeat(300)} tulips on a raft`, { owner })).toBeUndefined();
  });
});

test.each([8, 15])('there are over 3,000 common passwords of %i characters and more', (minLength) => {
  const common = commonPasswords();
  const candidates = [...FIRST_ROOTS, ...COMMON_ROOTS].flatMap((root) => [
    root + root,
    `${root}${root}1`,
    `${root}123456`,
    `${root}12345678`,
    `${root}1234567890`,
    ...FIRST_ROOTS.map((other) => other + root),
  ]);
  const listed = new Set(candidates.filter((text) => text.length >= minLength && common.has(text)));

  expect(listed.size).toBeGreaterThan(3_000);
});
