// Compiles the package into `dist/`, which mirrors the tree: TypeScript to JavaScript without looking at types (the type
// check belongs to `npm test`), pages and styles as they are. Only what differs from the last time is compiled again, so
// that every command can call it.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The folders that are compiled. */
const ROOMS = ['auth-service', 'bench', 'examples', 'faults', 'gateway', 'platform', 'start'];
const SCRIPT = /(?<!\.d)\.ts$/;
const ASSET = /\.(css|html|js|svg)$/;

/** What the compiled files were made of, beside them. Written last: a compilation that was interrupted is done again. */
const RECORD = 'dist/.compiled.json';

/** A source that changed within this time before it was read may change again without another time of change. */
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

/** The compiler is missing, because the development dependencies were left out of the installation. */
export class CompilerMissing extends Error {}

/**
 * Brings `dist/` up to date with the sources of the package in `packageDir`.
 *
 * @param {string} packageDir
 * @param {(files: number) => void} [onBegin] is called before anything is compiled, not when nothing has changed
 * @returns {Promise<number>} how many files were compiled, copied or removed
 * @throws {CompilerMissing} and the compiler's syntax errors
 */
export async function compile(packageDir, onBegin = () => {}) {
  const recordFile = join(packageDir, RECORD);
  const compiler = compilerVersion();
  const record = readRecord(recordFile);
  const known = record?.compiler === compiler || compiler === undefined ? (record?.files ?? {}) : {};
  const began = Date.now();

  const files = {};
  const stale = [];
  for (const source of sourcesOf(packageDir)) {
    const before = known[source];
    const now = stateOf(join(packageDir, source), before, began);
    if (before?.hash === now.hash && isUntouched(join(packageDir, outputOf(source)), before.output))
      files[source] = { ...now, output: before.output };
    else stale.push({ source, now });
  }
  const expected = new Set([...Object.keys(files), ...stale.map(({ source }) => source)].flatMap(outputsOf));
  const leftOver = compiledFiles(packageDir).filter((file) => !expected.has(file));

  if (stale.length > 0) {
    if (stale.some(({ source }) => SCRIPT.test(source)) && compiler === undefined)
      throw new CompilerMissing('the development dependencies are not installed, and the compiled code is not current');
    onBegin(stale.length);
    await Promise.all(
      stale.map(async ({ source, now }) => {
        files[source] = { ...now, output: await emit(packageDir, source) };
      }),
    );
  }
  for (const file of leftOver) rmSync(join(packageDir, file), { force: true });
  // What the TypeScript compiler once wrote here says of files that they are current which it has not written.
  rmSync(join(packageDir, 'dist/.tsbuildinfo'), { force: true });
  const changes = stale.length + leftOver.length;
  if (changes > 0 || !record) replace(recordFile, JSON.stringify({ compiler, files }));
  return changes;
}

/** What the compiled code depends on beside its source; undefined when the compiler is not installed. */
function compilerVersion() {
  try {
    const { version } = require('@swc/core/package.json');
    return hashOf(`${version} ${JSON.stringify(OPTIONS)} ${readFileSync(fileURLToPath(import.meta.url), 'utf8')}`);
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

function sourcesOf(packageDir) {
  return ROOMS.flatMap((room) => filesIn(packageDir, room)).filter((file) => SCRIPT.test(file) || ASSET.test(file));
}

function compiledFiles(packageDir) {
  return ROOMS.flatMap((room) => filesIn(packageDir, `dist/${room}`));
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

/** @returns {{ hash: string, size: number, mtimeMs: number }} read again only where size or time have changed */
function stateOf(file, before, began) {
  const { size, mtimeMs } = statSync(file);
  if (before && before.size === size && before.mtimeMs === mtimeMs) return { hash: before.hash, size, mtimeMs };
  return { hash: hashOf(readFileSync(file)), size, mtimeMs: began - mtimeMs < UNRELIABLE_MTIME_MS ? 0 : mtimeMs };
}

/** Whether an output is the one that was written, and not another compiler's. */
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
    replace(output, `${code}//# sourceMappingURL=${output.slice(output.lastIndexOf('/') + 1)}.map\n`);
  } else replace(output, readFileSync(join(packageDir, source)));
  const { size, mtimeMs } = statSync(output);
  return { size, mtimeMs };
}

/** Nobody who reads the file meanwhile, such as another command that starts, gets half of it. */
function replace(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${randomUUID()}`;
  writeFileSync(aside, content);
  renameSync(aside, file);
}
