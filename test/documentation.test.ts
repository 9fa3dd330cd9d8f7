import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md', 'faults/README.md', 'bench/README.md'],
  ...readdirSync('docs').map((name) => `docs/${name}`),
  ...readdirSync('deploy').map((name) => `deploy/${name}/README.md`),
].filter((path) => path.endsWith('.md') && existsSync(path));

/** Pages that say where something is in the code. */
const PAGES_WITH_PATHS = ['docs/architecture.md', 'docs/glossary.md', 'docs/development.md', 'CONTRIBUTING.md'];

const CODE_FOLDERS = [
  'gateway',
  'auth-service',
  'console',
  'platform',
  'start',
  'build',
  'examples',
  'bench',
  'faults',
  'test',
];

/** The text outside of code blocks. */
function prose(path: string): string {
  return readFileSync(path, 'utf8').replace(/^```.*?^```$/gms, '');
}

/** The fragments of a page's headings, as GitHub makes them. */
function fragments(path: string): readonly string[] {
  return [...prose(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(path: string): readonly string[] {
  const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', fragment] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(target)) return true;
      return fragment !== undefined && target.endsWith('.md') && !fragments(target).includes(fragment);
    });
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesOf(path) : [path];
  });
}

/** Paths in backticks that lead nowhere: a path is one of the package's, a name without a folder is that of some file. */
function missingPaths(text: string): readonly string[] {
  const names = new Set(CODE_FOLDERS.flatMap(filesOf).map((path) => basename(path)));
  const words = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
  const paths = words.filter((word) => CODE_FOLDERS.includes(word.split('/')[0] ?? '') && /^[\w./-]+$/.test(word));
  const bare = words.filter((word) => /^[\w-]+(\.[\w-]+)*\.(ts|tsx|mjs|css|html)$/.test(word));
  const nested = words.filter((word) => /^[\w.-]+(\/[\w.-]+)+\.(ts|mjs)$/.test(word) && !paths.includes(word));
  return [
    ...paths.filter((path) => !existsSync(path) || (path.endsWith('/') && !statSync(path).isDirectory())),
    ...bare.filter((name) => !names.has(name) && !existsSync(name)),
    ...nested.filter((path) => !existsSync(path)),
  ];
}

/** Variables of deployments, which no process of ours reads: of compose files, and of the example for Caddy. */
const OF_DEPLOYMENTS = [
  ...['PORTICO_PORTS', 'PORTICO_GRAFANA_PORT', 'PORTICO_PROMETHEUS_PORT', 'PORTICO_PROMETHEUS_RETENTION'],
  ...['PORTICO_OBSERVABILITY_MEMORY', 'PORTICO_SITE', 'PORTICO_GATEWAYS'],
];

/** Variables that a page names and that are no settings. */
function unknownSettings(text: string): readonly string[] {
  const known = [...readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
    ([, name]) => name,
  );
  const named = [...text.matchAll(/\b(?:PORTICO|AUTH)_[A-Z_]+[A-Z]\b/g)].map(([name]) => name.replace(/_FILE$/, ''));
  return [...new Set(named)].filter((name) => !known.includes(name) && !OF_DEPLOYMENTS.includes(name));
}

/** Names of a glossary's table of names that no source defines. */
function undefinedNames(text: string): readonly string[] {
  const table = text.split('## Names in code')[1] ?? '';
  const names = [...table.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const sources = ['gateway', 'auth-service', 'platform']
    .flatMap(filesOf)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const defined = new Set(
    [...sources.matchAll(/\b(?:class|interface|type|function|const) (\w+)/g)].map(([, name]) => name),
  );
  return names.filter((name) => !defined.has(name));
}

/** The newest of some files that creates each function, by the function's name. @param files in their order. */
function newestDefinitions(files: readonly { readonly name: string; readonly sql: string }[]): Map<string, string> {
  const creations = /^CREATE (?:OR REPLACE )?FUNCTION "?(\w+)"?\(|^DROP FUNCTION "?(\w+)/gm;
  const newest = new Map<string, string>();
  for (const { name, sql } of files)
    for (const [, created, dropped] of sql.matchAll(creations)) {
      if (created !== undefined) newest.set(created, name);
      if (dropped !== undefined) newest.delete(dropped);
    }
  return newest;
}

/** What the rows of a page's tables say of functions: their names to the migration in the third column. */
function listedDefinitions(page: string): Map<string, string> {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` \| [^|]+ \| `(\d{4}[\w.-]+)` \|/gm);
  return new Map([...rows].map(([, name = '', file = '']) => [name, file]));
}

describe('the documentation', () => {
  test.each(PAGES)('%s has no broken link', (path) => {
    expect(brokenLinks(path)).toEqual([]);
  });

  test.each(PAGES_WITH_PATHS)('%s names only files and folders that exist', (path) => {
    expect(missingPaths(prose(path))).toEqual([]);
  });

  test('a path that does not exist is found', () => {
    const text = '`gateway/server.ts`, `gateway/nowhere.ts`, `nowhere.ts`, `http/server.ts`, `docs`, `npm test`';
    expect(missingPaths(text)).toEqual(['gateway/nowhere.ts', 'nowhere.ts', 'http/server.ts']);
  });

  // The changelog names settings that are gone.
  const pagesWithSettings = PAGES.filter((path) => !path.startsWith('deploy/') && path !== 'CHANGELOG.md');
  test.each(pagesWithSettings)('%s names only settings that exist', (path) => {
    expect(unknownSettings(readFileSync(path, 'utf8'))).toEqual([]);
  });

  test('a setting that does not exist is found', () => {
    expect(unknownSettings('`PORTICO_NOWHERE`, `AUTH_PORT`, `AUTH_PASSWORD_PEPPER_FILE`')).toEqual(['PORTICO_NOWHERE']);
  });

  test('docs/glossary.md has only names that the code defines', () => {
    expect(undefinedNames(readFileSync('docs/glossary.md', 'utf8'))).toEqual([]);
    expect(undefinedNames('## Names in code\n`Generation`, `NowhereDefined`')).toEqual(['NowhereDefined']);
  });

  test('docs/README.md lists each page of docs', () => {
    const list = readFileSync('docs/README.md', 'utf8');
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(pages.filter((name) => !list.includes(`(${name})`))).toEqual([]);
  });

  test('docs/jobs-engine.md lists each function of the database', () => {
    const sql = readFileSync('gateway/jobs/engine/database/schema/functions.sql', 'utf8');
    const created = [...sql.matchAll(/^CREATE OR REPLACE FUNCTION portico_jobs\.(\w+)\(/gm)].map(([, name]) => name);
    const [, section = ''] = readFileSync('docs/jobs-engine.md', 'utf8').split('### Functions of the database');
    const listed = [...(section.split('\n#')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(created.length).toBeGreaterThan(20);
    expect(listed.sort()).toEqual(created.sort());
  });

  test('docs/audit-log.md names the migration with the current version of each function', () => {
    const folder = 'prisma/migrations';
    const names = readdirSync(folder).filter((name) => name !== 'migration_lock.toml');
    const read = names.sort().map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
    expect(listedDefinitions('docs/audit-log.md')).toEqual(newestDefinitions(read));
  });

  test('a function that a later migration replaces or drops is found', () => {
    const first = 'CREATE FUNCTION accept(jobs jsonb)\nCREATE FUNCTION "audit_partitions"()';
    const second = 'CREATE OR REPLACE FUNCTION accept(jobs jsonb)\nCREATE FUNCTION gone()';
    const third = 'DROP FUNCTION gone();';
    const files = [first, second, third].map((sql, index) => ({ name: String(index), sql }));
    expect(newestDefinitions(files)).toEqual(
      new Map([
        ['accept', '1'],
        ['audit_partitions', '0'],
      ]),
    );
  });
});
