import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readSettings, SettingsError, setting } from '../../platform/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'portico-settings-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const SHAPE = {
  NAME: setting.text(),
  PORT: setting.port(8080),
  SIZE: setting.integer(10, 1, 100),
  FLAG: setting.flag(false),
  HOME: setting.httpUrl().optional(),
  STORE: setting.postgresUrl().optional(),
  LIST: setting.list().default([]),
  LEVEL: setting.logLevel(),
};

function problems(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(SHAPE, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  test('are read into their types, and have their defaults where they are not set', () => {
    expect(readSettings(SHAPE, { NAME: 'a' })).toEqual({
      NAME: 'a',
      PORT: 8080,
      SIZE: 10,
      FLAG: false,
      LIST: [],
      LEVEL: 'info',
    });
    const environment = {
      NAME: ' a ',
      PORT: '0',
      SIZE: '100',
      FLAG: 'true',
      HOME: 'https://x.test/y',
      LIST: 'a, b,,c ',
      LEVEL: 'warn',
      OTHER: 'not ours',
    };
    expect(readSettings(SHAPE, environment)).toEqual({
      NAME: ' a ',
      PORT: 0,
      SIZE: 100,
      FLAG: true,
      HOME: 'https://x.test/y',
      LIST: ['a', 'b', 'c'],
      LEVEL: 'warn',
    });
  });

  test('that are empty count as not set', () => {
    expect(readSettings(SHAPE, { NAME: 'a', PORT: '', FLAG: '' })).toMatchObject({ PORT: 8080, FLAG: false });
    expect(problems({ NAME: '' })).toEqual(['NAME is not set: expected a text']);
  });

  test.each([
    ...['true', 'TRUE', 'True', 't', 'yes', 'Y', ' true'].map((text) => [text, true] as const),
    ...['false', 'False', 'F', 'no', 'n'].map((text) => [text, false] as const),
  ])('a flag may be written as %j, as in Hasura', (FLAG, expected) => {
    expect(readSettings(SHAPE, { NAME: 'a', FLAG }).FLAG).toBe(expected);
  });

  test.each(['1', '0', 'on', 'tru', 'constructor'])('a flag is not written as %s', (FLAG) => {
    expect(problems({ NAME: 'a', FLAG })).toEqual(['FLAG: expected true or false']);
  });

  test('that are invalid are reported together, by name and without their values', () => {
    const wrong = { PORT: 'canary', SIZE: '101', FLAG: 'canary', HOME: 'ftp://canary', LEVEL: 'canary' };
    expect(problems(wrong)).toEqual([
      'NAME is not set: expected a text',
      'PORT: expected a port number from 0 to 65535',
      'SIZE: expected a whole number from 1 to 100',
      'FLAG: expected true or false',
      'HOME: expected an http or https URL',
      'LEVEL: expected one of fatal, error, warn, info, debug, trace, silent',
    ]);
  });

  test.each(['-1', '65536', '1.5', '0x50', '8080 ', '1e3', '99999999999999999999'])('a port is not %s', (PORT) => {
    expect(problems({ NAME: 'a', PORT })).toEqual(['PORT: expected a port number from 0 to 65535']);
  });
});

describe('a setting in a file', () => {
  test('is read from the file that NAME_FILE names, without one line break at its end', () => {
    expect(readSettings(SHAPE, { NAME_FILE: file('unix', 'secret\n') }).NAME).toBe('secret');
    expect(readSettings(SHAPE, { NAME_FILE: file('windows', 'secret\r\n') }).NAME).toBe('secret');
    expect(readSettings(SHAPE, { NAME_FILE: file('two', ' secret \n\n') }).NAME).toBe(' secret \n');
    expect(readSettings(SHAPE, { NAME: 'a', SIZE_FILE: file('size', '7\n') }).SIZE).toBe(7);
  });

  test('counts as not set when the file is empty', () => {
    expect(problems({ NAME_FILE: file('empty', '\n') })).toEqual(['NAME is not set: expected a text']);
  });

  test('that does not exist is reported, with its consequence', () => {
    expect(problems({ NAME_FILE: join(directory, 'nowhere') })[0]).toBe(
      'NAME_FILE: cannot read the file that it names (ENOENT)',
    );
    expect(problems({ NAME_FILE: directory })[0]).toBe('NAME_FILE: cannot read the file that it names (EISDIR)');
  });

  test('and in the variable itself is one too many', () => {
    expect(problems({ NAME: 'a', NAME_FILE: file('both', 'b') })[0]).toBe(
      'NAME and NAME_FILE are both set: keep one of them',
    );
  });

  test('is not shown when it is wrong', () => {
    expect(problems({ NAME: 'a', PORT_FILE: file('port', 'canary') }).join()).not.toContain('canary');
  });

  test('a file that a PostgreSQL URL names has to be readable', () => {
    const url = (path: string) => `postgresql://s3cret@db/x?sslmode=verify-full&sslrootcert=${path}`;
    expect(problems({ NAME: 'a', STORE: url(join(directory, 'none.pem')) })).toEqual([
      'STORE: the file that sslrootcert names cannot be read (ENOENT)',
    ]);
    expect(problems({ NAME: 'a', STORE: url(file('ca.pem', 'a certificate')) })).toEqual([]);
  });
});

describe('a setting of origins', () => {
  const read = (value: string, subdomains: boolean) =>
    readSettings({ ORIGINS: setting.origins({ subdomains }) }, { ORIGINS: value }).ORIGINS;

  test('has them as they are compared with a browser’s', () => {
    expect(read('https://app.example.com, http://localhost:3000,capacitor://localhost,*', false)).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
      'capacitor://localhost',
      '*',
    ]);
    expect(read('https://*.example.com', true)).toEqual(['https://*.example.com']);
  });

  test.each([
    ['app.example.com', true],
    ['localhost:3000', true],
    ['https://app.example.com/', true],
    ['https://app.example.com:443', true],
    ['https://App.example.com', true],
    ['*.example.com', true],
    ['https://*.example.com', false],
    ['https://*', true],
    ['https://*.*.example.com', true],
  ])('refuses %s, which no browser sends', (origin, subdomains) => {
    expect(() => read(`https://other.example.com,${origin}`, subdomains)).toThrow(
      `ORIGINS: "${origin}" is no origin: expected scheme and host without a path, such as https://app.example.com`,
    );
  });
});
