import { randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { buildConsole } from '../../build/console.mjs';
import { readConsoleFiles } from '../../gateway/transports/console/index.ts';

const MAX_FIRST_PAGE_BYTES = 40_000;
/** What the explorer may load after that: the editor, and `graphql`. */
const MAX_EXPLORER_BYTES = 260_000;

const packageDir = mkdtempSync(join(tmpdir(), 'portico-console-build-'));
afterAll(() => rmSync(packageDir, { recursive: true, force: true }));
for (const folder of ['console', 'gateway/transports/http'])
  cpSync(folder, join(packageDir, folder), { recursive: true });
cpSync('package-lock.json', join(packageDir, 'package-lock.json'));
symlinkSync(resolve('node_modules'), join(packageDir, 'node_modules'));

const outputDir = join(packageDir, 'dist/console');
const page = () => readFileSync(join(outputDir, 'index.html'), 'utf8');
const assetsOfPage = () => [...page().matchAll(/\{root\}(assets\/[^"]+)/g)].map(([, name = '']) => name);
/** A script and all that it imports at once. */
function scriptsFrom(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(outputDir, name), 'utf8');
  for (const [, imported] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) scriptsFrom(`assets/${imported}`, found);
  return found;
}
/** How many bytes a browser loads for a file. */
const loadedBytes = (name: string) => {
  const coded = join(outputDir, `${name}.br`);
  return readFileSync(existsSync(coded) ? coded : join(outputDir, name)).length;
};

describe('the build of the console', () => {
  test('writes a first page of less than 40 kB, and the explorer of less than 260 kB apart from it', async () => {
    expect(await buildConsole(packageDir)).toBe(true);
    const assets = assetsOfPage();
    expect(assets.length).toBeGreaterThan(3);
    // Browsers load the licences only if somebody follows their link.
    const loaded = assets.filter((name) => !name.includes('licences-'));
    const total = loaded.reduce((sum, name) => sum + loadedBytes(name), page().length);
    expect(total).toBeLessThan(MAX_FIRST_PAGE_BYTES);
    const texts = assets.map((name) => readFileSync(join(outputDir, name), 'utf8'));
    expect(texts.some((text) => text.includes('cm-content'))).toBe(false);
    const all = readdirSync(join(outputDir, 'assets')).filter((name) => name.endsWith('.js'));
    const explorer = all.find((name) => name.startsWith('explorer-')) ?? '';
    const later = [...scriptsFrom(`assets/${explorer}`)].filter((name) => !assets.includes(name));
    expect(later.reduce((sum, name) => sum + loadedBytes(name), 0)).toBeLessThan(MAX_EXPLORER_BYTES);
    expect(all.some((name) => readFileSync(join(outputDir, 'assets', name), 'utf8').includes('cm-content'))).toBe(true);
  });

  test('writes the licences of the packages that the scripts hold', () => {
    const [, name = ''] = page().match(/rel="license" href="\{root\}([^"]+)"/) ?? [];
    const licences = readFileSync(join(outputDir, name), 'utf8');
    const packages = [...licences.matchAll(/^(\S+) \d\S* \((.+)\)$/gm)].map(([, one, licence]) => [one, licence]);
    for (const one of ['preact', '@codemirror/view', 'graphql']) expect(packages).toContainEqual([one, 'MIT']);
    expect(licences).toContain('THE SOFTWARE IS PROVIDED "AS IS"');
    expect(licences).not.toContain('undefined');
  });

  test('does nothing while nothing has changed', async () => {
    let isBegun = false;
    expect(
      await buildConsole(packageDir, () => {
        isBegun = true;
      }),
    ).toBe(false);
    expect(isBegun).toBe(false);
  });

  test('after a change removes the files of the last build, and a gateway that runs serves the new ones', async () => {
    const files = readConsoleFiles(pino({ enabled: false }), outputDir);
    const before = assetsOfPage().find((name) => name.includes('style-')) ?? '';
    const style = join(packageDir, 'console/styles/base.css');
    writeFileSync(style, `${readFileSync(style, 'utf8')}\n.planted { color: var(--text); }\n`);
    expect(await buildConsole(packageDir)).toBe(true);
    const after = assetsOfPage().find((name) => name.includes('style-')) ?? '';
    expect(after).not.toBe(before);
    expect([existsSync(join(outputDir, before)), existsSync(join(outputDir, `${before}.br`))]).toEqual([false, false]);
    expect(files?.find(after)).toBeUndefined();
    files?.refresh();
    expect(String(await files?.find(after)?.content(undefined))).toContain('.planted');
  });

  test('leaves alone what a build beside it is writing, and removes what one that crashed has left', async () => {
    const temporary = (name: string) => join(outputDir, 'assets', `${name}.js.${randomUUID()}`);
    const [written, left] = [temporary('written'), temporary('left')];
    for (const file of [written, left]) writeFileSync(file, '');
    utimesSync(left, 0, 0);
    const style = join(packageDir, 'console/styles/base.css');
    writeFileSync(style, `${readFileSync(style, 'utf8')}\n.beside { color: var(--text); }\n`);
    expect(await buildConsole(packageDir)).toBe(true);
    expect([existsSync(written), existsSync(left)]).toEqual([true, false]);
  });

  test('without a build the console is not served', () => {
    expect(readConsoleFiles(pino({ enabled: false }), join(packageDir, 'nowhere'))).toBeUndefined();
  });
});
