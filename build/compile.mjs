// Compiles the package into `dist/`, which mirrors the tree: TypeScript to JavaScript without type checks (those belong to
// `npm test`), pages and styles unchanged. Bundled packages (`build/packages.mjs`) are imported from `dist/packages/`, and what
// processes begin with is a bundle itself (`build/programs.mjs`). Only files that differ from the last run are compiled, so
// that every command can call it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { MissingDependencies } from './missing-dependencies.mjs';
import { hasAll, replace } from './output-files.mjs';
import { BUNDLED_PACKAGES, bundledImport } from './packages.mjs';
import { bundlePrograms, chunksOf, isProgram, PROGRAMS } from './programs.mjs';

const require = createRequire(import.meta.url);

/**
 * What is compiled together: folders, and beside the compiled files a record of what they were made of. The record is
 * written last, so that an interrupted compilation is repeated.
 */
export const PRODUCT = {
  folders: ['auth-service', 'examples', 'gateway', 'platform', 'start'],
  record: 'dist/.compiled.json',
};

/** What only developers run: 107 of 804 files. Without them a first `npm start` compiles 5.4 s in place of 6.4 s. */
export const TOOLS = {
  folders: ['bench', 'build', 'deploy/observability', 'faults'],
  record: 'dist/.compiled-tools.json',
};

/** The database client, which `prisma/generate.mjs` writes. */
const GENERATED = 'auth-service/database/generated';

/** Which it writes last. */
const GENERATED_STAMP = `${GENERATED}/.stamp`;

/** What all other folders are bundled with. */
const SHARED = 'platform';

const SCRIPT = /(?<!\.d)\.ts$/;
/** What a bundle may be made of. */
const BUNDLED = /\.[jt]s$/;
const ASSET = /\.(css|html|js|sql|svg|txt)$/;

/** A source modified within this time before it was read may change again without a new modification time. */
const UNRELIABLE_MTIME_MS = 2_000;

const OPTIONS = {
  configFile: false,
  swcrc: false,
  sourceMaps: true,
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2022',
    rewriteRelativeImportExtensions: true,
    transform: { verbatimModuleSyntax: true },
  },
  module: { type: 'es6' },
};

/**
 * Brings `dist/` up to date with the sources of the package in `packageDir`.
 *
 * @param {string} packageDir
 * @param {(files: number) => void} [onBegin] called with the number of stale files before the first is compiled, and not
 * at all when none is
 * @param {{ folders: readonly string[], record: string }} [part]
 * @returns {Promise<number>} how many files were compiled, copied or removed
 * @throws {MissingDependencies} and the compiler's syntax errors
 */
export async function compile(packageDir, onBegin = () => {}, part = PRODUCT) {
  const recordFile = join(packageDir, part.record);
  const compiler = compilerVersion();
  const record = readRecord(recordFile);
  const known = record?.compiler === compiler || compiler === undefined ? (record?.files ?? {}) : {};
  const began = Date.now();

  const files = {};
  const chunks = { ...record?.chunks };
  const broken = new Set(
    Object.keys(chunks).filter((folder) => !hasAll(join(packageDir, chunksOf(folder)), chunks[folder])),
  );
  const stale = [];
  for (const source of sourcesOf(packageDir, part)) {
    const before = known[source];
    const now = stateOf(join(packageDir, source), before, began);
    const isWhole = !isProgram(source) || !broken.has(folderOf(source));
    if (
      before?.hash === now.hash &&
      before.output &&
      isWhole &&
      isUntouched(join(packageDir, outputOf(source)), before.output)
    )
      files[source] = { ...now, output: before.output };
    else if (isProgram(source) && isAwaitingClient(packageDir, folderOf(source))) files[source] = now;
    else stale.push({ source, now });
  }
  const expected = new Set([...Object.keys(files), ...stale.map(({ source }) => source)].flatMap(outputsOf));
  const leftOver = compiledFiles(packageDir, part).filter(
    (file) => !expected.has(file) && !isAwaitingSource(packageDir, file),
  );

  if (stale.length > 0) {
    if (stale.some(({ source }) => SCRIPT.test(source)) && compiler === undefined)
      throw new MissingDependencies('the compiled code is not current');
    onBegin(stale.length);
    await Promise.all(
      stale.map(async ({ source, now }) => {
        files[source] = { ...now, output: isProgram(source) ? undefined : await emit(packageDir, source) };
      }),
    );
  }
  if (part === PRODUCT && compiler !== undefined)
    await bundleChanged(packageDir, [...stale.map(({ source }) => source), ...leftOver], files, chunks);
  for (const file of leftOver) rmSync(join(packageDir, file), { force: true });
  // Left by older versions, which compiled with tsc: it would take files for current that tsc has not written.
  rmSync(join(packageDir, 'dist/.tsbuildinfo'), { force: true });
  const changes = stale.length + leftOver.length;
  if (changes > 0 || !record) replace(recordFile, JSON.stringify({ compiler, files, chunks }));
  return changes;
}

/**
 * Bundles the programs that changed files are part of, and records them in `files`, and by folder in `chunks`. Programs that
 * cannot be bundled yet lose their output in the record, so that they are later.
 *
 * @param {readonly string[]} changed sources, or compiled files that have none any more
 */
async function bundleChanged(packageDir, changed, files, chunks) {
  const folders = new Set(changed.filter((file) => BUNDLED.test(file)).map(folderOf));
  const stale = Object.keys(PROGRAMS).filter((folder) => folders.has(folder) || folders.has(SHARED));
  await Promise.all(
    stale.map(async (folder) => {
      if (isAwaitingClient(packageDir, folder)) {
        for (const source of PROGRAMS[folder]) if (files[source]) files[source].output = undefined;
        return;
      }
      const bundled = await bundlePrograms(packageDir, folder, chunks[folder]);
      chunks[folder] = bundled.chunks;
      for (const source of bundled.programs)
        files[source] = { ...files[source], output: outputState(packageDir, source) };
    }),
  );
}

/** The folder of a source or of a compiled file. */
function folderOf(file) {
  return file.replace(/^dist\//, '').split('/', 1)[0];
}

/** Whether the programs of a folder need the database client, and it is missing or being generated. */
function isAwaitingClient(packageDir, folder) {
  return folder === folderOf(GENERATED) && !existsSync(join(packageDir, GENERATED_STAMP));
}

/**
 * Whether a file was compiled from generated sources that are missing as a whole: they are being generated, or cannot be
 * generated here, and what was compiled from them is all that there is.
 */
function isAwaitingSource(packageDir, file) {
  return file.startsWith(`dist/${GENERATED}/`) && !existsSync(join(packageDir, GENERATED));
}

/** A hash of what the compiled code depends on beside its source; undefined when the compiler is not installed. */
function compilerVersion() {
  try {
    const { version } = require('@swc/core/package.json');
    const versions = [version, require('esbuild/package.json').version];
    const own = ['compile.mjs', 'programs.mjs'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
    return hashOf(JSON.stringify([versions, OPTIONS, BUNDLED_PACKAGES, own]));
  } catch {
    return undefined;
  }
}

function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function sourcesOf(packageDir, { folders }) {
  return folders
    .flatMap((folder) => filesIn(packageDir, folder))
    .filter((file) => SCRIPT.test(file) || ASSET.test(file));
}

function compiledFiles(packageDir, { folders }) {
  return folders.flatMap((folder) => filesIn(packageDir, `dist/${folder}`));
}

/** Paths relative to `packageDir`, with slashes. */
function filesIn(packageDir, folder) {
  let entries;
  try {
    entries = readdirSync(join(packageDir, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(packageDir, path);
    return [path];
  });
}

/** @returns {{ hash: string, size: number, mtimeMs: number }} the file is read only if its size or time has changed */
function stateOf(file, before, began) {
  const { size, mtimeMs } = statSync(file);
  if (before && before.size === size && before.mtimeMs === mtimeMs) return { hash: before.hash, size, mtimeMs };
  return { hash: hashOf(readFileSync(file)), size, mtimeMs: began - mtimeMs < UNRELIABLE_MTIME_MS ? 0 : mtimeMs };
}

/** Whether an output is unchanged since this compiler wrote it. */
function isUntouched(file, { size, mtimeMs }) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.size === size && found.mtimeMs === mtimeMs;
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url');
}

function outputOf(source) {
  return `dist/${source.replace(SCRIPT, '.js')}`;
}

function outputsOf(source) {
  const output = outputOf(source);
  return SCRIPT.test(source) ? [output, `${output}.map`] : [output];
}

async function emit(packageDir, source) {
  const output = join(packageDir, outputOf(source));
  mkdirSync(dirname(output), { recursive: true });
  if (SCRIPT.test(source)) {
    const { transform } = require('@swc/core');
    const filename = join(packageDir, source);
    const { code, map } = await transform(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
    replace(`${output}.map`, map);
    replace(output, `${fromBundles(code)}//# sourceMappingURL=${output.slice(output.lastIndexOf('/') + 1)}.map\n`);
  } else replace(output, readFileSync(join(packageDir, source)));
  return outputState(packageDir, source);
}

function outputState(packageDir, source) {
  const { size, mtimeMs } = statSync(join(packageDir, outputOf(source)));
  return { size, mtimeMs };
}

/** The beginning of what imports or exports in compiled code, which has each in a line, and the name of a package. */
const IMPORTS = /(^(?:import|export)\b[^\n]*\bfrom |^import |\bimport\()(?:'([^.'\n][^'\n]*)'|"([^."\n][^"\n]*)")/gm;

/** Compiled code with bundled packages imported from their bundles. No line moves, so that source maps stay right. */
function fromBundles(code) {
  return code.replace(IMPORTS, (found, before, single, double) => {
    const bundle = bundledImport(single ?? double);
    return bundle === undefined ? found : before + JSON.stringify(bundle);
  });
}
