import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSchemaStore, type SchemaStore, type StoredSchema } from '../../../gateway/sources/index.ts';
import { createLogger } from '../../../platform/index.ts';

const FINGERPRINT = '0123456789abcdef0123456789abcdef';
const SCHEMA: StoredSchema = { composition: 'plain', sdl: 'type Query {\n  item: String\n}', fingerprint: FINGERPRINT };
const LONG = 17 * 1024 * 1024;

let root: string;
let directory: string;
let lines: Record<string, unknown>[];
let store: SchemaStore;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'portico-store-'));
  directory = join(root, 'data', 'schemas');
  lines = [];
  store = openSchemaStore(directory, logger());
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const logger = () => createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
const file = (name = 'shop') => join(directory, `${name}.graphql`);
const read = () => store.read('shop', FINGERPRINT);

describe('a stored schema', () => {
  test('is read again as it was, its last line break included', async () => {
    for (const sdl of [
      SCHEMA.sdl,
      `${SCHEMA.sdl}\n`,
      `# composition: federation\n${SCHEMA.sdl}`,
      'type Query { é: Int }\r\n',
    ]) {
      await store.write('shop', { ...SCHEMA, sdl });
      expect(await read()).toEqual({ ...SCHEMA, sdl });
    }
    expect(lines).toEqual([]);
  });

  test('is for the owner’s eyes only, under a name that any source can have', async () => {
    const name = '../../etc/passwd\n*';
    await store.write(name, SCHEMA);
    expect(readdirSync(directory)).toEqual(['..%2F..%2Fetc%2Fpasswd%0A*.graphql']);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, readdirSync(directory)[0] ?? '')).mode & 0o777).toBe(0o600);
    expect(await store.read(name, FINGERPRINT)).toEqual(SCHEMA);
  });

  test('is not written again where nothing has changed', async () => {
    await store.write('shop', SCHEMA);
    const { ino } = statSync(file());
    await store.write('shop', SCHEMA);
    expect(statSync(file()).ino).toBe(ino);
  });

  test('is always complete, however many write and read it at once', async () => {
    const stores = [store, openSchemaStore(directory, logger()), openSchemaStore(directory, logger())];
    const versions = Array.from({ length: 20 }, (_, index) => ({
      ...SCHEMA,
      sdl: `type Query { item${index}: Int }\n${'# long\n'.repeat(10_000)}`,
    }));
    await store.write('shop', versions[0] as StoredSchema);
    const reads: Promise<StoredSchema | undefined>[] = [];
    await Promise.all(
      versions.map(async (version, index) => {
        reads.push(read());
        await stores[index % 3]?.write('shop', version);
        reads.push(read());
      }),
    );
    for (const found of await Promise.all(reads)) expect(versions).toContainEqual(found);
    expect(readdirSync(directory)).toEqual(['shop.graphql']);
    expect(lines).toEqual([]);
  });
});

describe('a foreign file in the directory', () => {
  const put = (content: string | Buffer) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file(), content);
  };
  /** Prepares the directory, and what is in the file's place. */
  const inPlace = (prepare: () => void) => () => {
    mkdirSync(directory, { recursive: true });
    prepare();
  };
  const header = `# composition: plain\n# definition: ${FINGERPRINT}\n`;

  test.each<[string, () => void, string]>([
    ['nothing at all', () => put(''), 'it does not say which description it belongs to'],
    [
      'a text without a header',
      () => put('type Query { item: Int }'),
      'it does not say which description it belongs to',
    ],
    [
      'a header in another order',
      () => put(header.split('\n').reverse().join('\n')),
      'it does not say which description it belongs to',
    ],
    [
      'the schema of another service',
      () => put(header.replace('0123', '3210')),
      'it belongs to another description of the source',
    ],
    ['bytes that are no text', () => put(Buffer.from([0xff, 0xfe, 0x00])), 'ERR_ENCODING_INVALID_ENCODED_DATA'],
    ['a directory', () => mkdirSync(file(), { recursive: true }), 'it is not a file'],
    ['a link to a device without an end', inPlace(() => symlinkSync('/dev/zero', file())), 'it is not a file'],
    ['a link to itself', inPlace(() => symlinkSync(file(), file())), 'ELOOP'],
    ['a pipe that nobody writes to', inPlace(() => void execFileSync('mkfifo', [file()])), 'it is not a file'],
    [
      'a file without an end',
      () => {
        put(header);
        truncateSync(file(), LONG);
      },
      'it is too long',
    ],
    [
      'a link to a file with secrets',
      inPlace(() => {
        writeFileSync(join(root, 'secret'), 'hunter2');
        symlinkSync(join(root, 'secret'), file());
      }),
      'it does not say which description it belongs to',
    ],
  ])('is ignored with a warning that repeats nothing of it: %s', async (_, prepare, reason) => {
    prepare();
    expect(await read()).toBeUndefined();
    expect(lines).toMatchObject([{ level: 'warn', source: 'shop', reason }]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  test('is not read, listed or removed where it is no schema of a source', async () => {
    mkdirSync(directory, { recursive: true });
    for (const name of ['notes.txt', 'other.graphql', '.hidden']) writeFileSync(join(directory, name), 'mine');
    await store.write('shop', SCHEMA);
    expect(await read()).toEqual(SCHEMA);
    expect(readdirSync(directory).sort()).toEqual(['.hidden', 'notes.txt', 'other.graphql', 'shop.graphql']);
    expect(readFileSync(join(directory, 'notes.txt'), 'utf8')).toBe('mine');
  });

  test('that is a link is replaced, and its target is left alone', async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(root, 'precious'), 'keep me');
    symlinkSync(join(root, 'precious'), file());
    await store.write('shop', SCHEMA);
    expect(readFileSync(join(root, 'precious'), 'utf8')).toBe('keep me');
    expect(await read()).toEqual(SCHEMA);
  });
});

describe('a directory that cannot be written', () => {
  const someFile = () => {
    writeFileSync(join(root, 'file'), '');
    return join(root, 'file');
  };
  const others = [
    {
      name: 'below a file',
      path: () => join(someFile(), 'schemas'),
      reason: 'ENOTDIR',
    },
    {
      name: 'that is a file',
      path: () => someFile(),
      reason: 'ENOTDIR',
    },
    {
      name: 'of a file system that refuses',
      path: () => '/proc/portico/schemas',
      reason: expect.stringMatching(/ENOENT|EACCES|EROFS/),
    },
  ];

  test.each(others)('$name is logged once, and nothing fails', async ({ path, reason }) => {
    store = openSchemaStore(path(), logger());
    for (const source of ['shop', 'mail', 'shop']) await store.write(source, SCHEMA);
    expect(lines.filter(({ event }) => event === 'stored_schema.write_failed')).toMatchObject([
      { level: 'warn', reason },
    ]);
  });

  test('is still read', async () => {
    await store.write('shop', SCHEMA);
    chmodSync(directory, 0o500);
    try {
      expect(await read()).toEqual(SCHEMA);
      await store.write('shop', { ...SCHEMA, sdl: 'type Query { other: Int }' });
      // Whoever may do everything may write there, too.
      if (process.getuid?.() !== 0) expect(lines).toMatchObject([{ reason: 'EACCES' }]);
    } finally {
      chmodSync(directory, 0o700);
    }
  });
});
