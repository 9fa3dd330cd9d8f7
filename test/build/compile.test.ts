import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { compile, TOOLS } from '../../build/compile.mjs';

let packageDir: string;
beforeEach(async () => {
  packageDir = mkdtempSync(join(tmpdir(), 'portico-compile-'));
  write('platform/greet.ts', "import { name } from './name.ts';\nexport const greet = (): string => name.trim();\n");
  write('platform/name.ts', "export const name: string = 'Ada';\n");
  write('gateway/page.html', '<p>first</p>');
  expect(await compile(packageDir)).toBe(3);
});
afterEach(() => rmSync(packageDir, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(packageDir, file)), { recursive: true });
  writeFileSync(join(packageDir, file), text);
}

function compiled(file: string): string {
  return readFileSync(join(packageDir, 'dist', file), 'utf8');
}

test('types are gone, imports name the compiled files, and pages are copied', () => {
  expect(compiled('platform/greet.js')).toMatch(/from ["']\.\/name\.js/);
  expect(compiled('platform/name.js')).not.toContain('string');
  expect(compiled('gateway/page.html')).toBe('<p>first</p>');
});

test('what has not changed is not compiled again', async () => {
  const before = statSync(join(packageDir, 'dist/platform/greet.js')).mtimeMs;
  expect(await compile(packageDir, () => expect('compiled again').toBe('not compiled'))).toBe(0);
  expect(statSync(join(packageDir, 'dist/platform/greet.js')).mtimeMs).toBe(before);
});

test('a change at once after a compilation is seen, though neither size nor time tell of it', async () => {
  const { mtime, atime } = statSync(join(packageDir, 'platform/name.ts'));
  write('platform/name.ts', "export const name: string = 'Eve';\n");
  utimesSync(join(packageDir, 'platform/name.ts'), atime, mtime);
  expect(await compile(packageDir)).toBe(1);
  expect(compiled('platform/name.js')).toContain('Eve');
});

test('a source whose time alone has changed is not compiled again', async () => {
  utimesSync(join(packageDir, 'platform/name.ts'), new Date(), new Date(0));
  expect(await compile(packageDir)).toBe(0);
});

test('a branch that is left and returned to, or output of another compiler, leaves nothing stale behind', async () => {
  write('dist/platform/name.js', "export const name = 'somebody else';\n");
  expect(await compile(packageDir)).toBe(1);
  expect(compiled('platform/name.js')).toContain('Ada');
});

test('compiled files are removed with their sources', async () => {
  rmSync(join(packageDir, 'platform/greet.ts'));
  write('dist/platform/from-an-old-version.js', '');
  expect(await compile(packageDir)).toBe(3);
  expect(existsSync(join(packageDir, 'dist/platform/greet.js'))).toBe(false);
  expect(existsSync(join(packageDir, 'dist/platform/from-an-old-version.js'))).toBe(false);
});

test('the compiled database client stays while its generated sources are missing as a whole', async () => {
  const client = 'auth-service/database/generated/client';
  write(`${client}.ts`, "export const version: string = 'one';\n");
  write('auth-service/database/generated/models.ts', 'export {};\n');
  await compile(packageDir);
  rmSync(join(packageDir, 'auth-service/database/generated'), { recursive: true });
  expect(await compile(packageDir)).toBe(0);
  expect(compiled(`${client}.js`)).toContain('one');
  write(`${client}.ts`, "export const version: string = 'two';\n");
  await compile(packageDir);
  expect(compiled(`${client}.js`)).toContain('two');
  expect(existsSync(join(packageDir, 'dist/auth-service/database/generated/models.js'))).toBe(false);
});

test('the tools of developers are compiled only where they are asked for, and neither part removes the other', async () => {
  write('bench/run.ts', 'export const row: string = "U";\n');
  expect(await compile(packageDir)).toBe(0);
  expect(await compile(packageDir, undefined, TOOLS)).toBe(1);
  expect(await compile(packageDir)).toBe(0);
  expect(compiled('bench/run.js')).toContain('row');
  expect(compiled('platform/name.js')).toContain('Ada');
});

test('a syntax error names its file, and the next compilation makes up for what was left', async () => {
  write('platform/name.ts', 'export const = ;\n');
  write('platform/other.ts', 'export const other = 1;\n');
  await expect(compile(packageDir)).rejects.toThrow(/platform\/name\.ts/);
  write('platform/name.ts', "export const name = 'Eve';\n");
  await compile(packageDir);
  expect(compiled('platform/name.js')).toContain('Eve');
  expect(compiled('platform/other.js')).toContain('other');
});

describe('a program', () => {
  const chunks = () => join(packageDir, 'dist/chunks/examples');
  const chunksNamed = (word: string) => readdirSync(chunks()).filter((name) => name.startsWith(word));
  /** Files look as if they had been written so long ago. */
  const age = (hours: number) => {
    const then = new Date(Date.now() - hours * 3_600_000);
    for (const name of readdirSync(chunks())) utimesSync(join(chunks(), name), then, then);
  };
  const onDemand = (value: string) => write('examples/orders/rare.ts', `export const rare = '${value}';\n`);
  beforeEach(async () => {
    write('examples/orders/main.ts', "export const load = () => import('./rare.ts');\n");
    onDemand('one');
    await compile(packageDir);
  });

  test('that has run for long finds what it imports on demand for a day after it was superseded', async () => {
    const [first] = chunksNamed('rare');
    expect(first).toBeDefined();
    age(48);
    onDemand('two');
    await compile(packageDir);
    expect(chunksNamed('rare')).toContain(first);
    age(23);
    onDemand('three');
    await compile(packageDir);
    expect(chunksNamed('rare')).toContain(first);
    age(25);
    onDemand('four');
    await compile(packageDir);
    expect(chunksNamed('rare')).not.toContain(first);
  });

  test('is bundled again when a file that it needs is missing', async () => {
    const before = chunksNamed('rare');
    rmSync(join(packageDir, 'dist/chunks'), { recursive: true });
    expect(await compile(packageDir)).toBe(1);
    expect(chunksNamed('rare')).toEqual(before);
    expect(await compile(packageDir)).toBe(0);
  });

  test('is left alone where there is no compiler, and only pages or files left of older versions differ', async () => {
    cpSync('build', join(packageDir, 'build'), { recursive: true });
    const elsewhere: typeof import('../../build/compile.mjs') = await import(
      pathToFileURL(join(packageDir, 'build/compile.mjs')).href
    );
    write('dist/platform/from-an-old-version.js', '');
    write('platform/page.css', 'p {}');
    expect(await elsewhere.compile(packageDir)).toBe(2);
    expect(compiled('platform/page.css')).toBe('p {}');
    expect(existsSync(join(packageDir, 'dist/platform/from-an-old-version.js'))).toBe(false);
    expect(await elsewhere.compile(packageDir)).toBe(0);
    onDemand('two');
    await expect(elsewhere.compile(packageDir)).rejects.toThrow('the development dependencies are not installed');
  });

  test('that needs the database client is bundled once the client is complete, and costs nothing until then', async () => {
    const generated = 'auth-service/database/generated';
    write('auth-service/main.ts', `import { client } from './database/generated/client.ts';\nconsole.log(client);\n`);
    expect(await compile(packageDir)).toBe(0);
    write('auth-service/other.ts', 'export {};\n');
    expect(await compile(packageDir)).toBe(1);
    expect(await compile(packageDir)).toBe(0);
    write(`${generated}/models.ts`, 'export {};\n');
    expect(await compile(packageDir)).toBe(1);
    write(`${generated}/client.ts`, "export const client = 'whole';\n");
    expect(await compile(packageDir)).toBe(1);
    expect(existsSync(join(packageDir, 'dist/auth-service/main.js'))).toBe(false);
    write(`${generated}/.stamp`, 'schema');
    expect(await compile(packageDir)).toBe(1);
    expect(compiled('auth-service/main.js')).toContain('whole');
    // What changes while the client is generated again is not forgotten.
    rmSync(join(packageDir, generated, '.stamp'));
    write(`${generated}/client.ts`, "export const client = 'other';\n");
    await compile(packageDir);
    expect(compiled('auth-service/main.js')).toContain('whole');
    write(`${generated}/.stamp`, 'schema');
    await compile(packageDir);
    expect(compiled('auth-service/main.js')).toContain('other');
  });
});
