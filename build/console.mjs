// Builds the console of `console/` into `dist/console/`: scripts and styles with names that change with their content, each
// beside what brotli and gzip make of it, and `manifest.json`, which lists them for the gateway. Nothing is done while
// the sources, the packages and this file are those of the last build, so that every command can call it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { bundlerVersion, hashOfTools, readStamp } from './bundle-stamp.mjs';
import { bundle } from './bundler.mjs';
import { MissingDependencies } from './missing-dependencies.mjs';
import { replace } from './output-files.mjs';

const SOURCES = 'console';
/** What the gateway's other pages have in common with the console: the design tokens and the icon. */
const ICON = 'gateway/transports/http/mark.svg';
const SHARED = ['gateway/transports/http/tokens.css', ICON];
const OUTPUT = 'dist/console';
const STAMP = 'dist/.console.json';

/** Compressing less than this saves no packet. */
const MIN_COMPRESSED_BYTES = 1_024;
/** The next ones take a second and more for the editor, and save a few per cent. */
const BROTLI_QUALITY = 9;

/** What `replace` appends to a name. */
const TEMPORARY = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_BUILD_MS = 3_600_000;

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/**
 * Brings `dist/console/` up to date.
 *
 * @param {string} packageDir
 * @param {() => void} [onBegin] called before anything is built, and not at all when nothing is
 * @returns {Promise<boolean>} whether it was built
 * @throws {MissingDependencies} and errors of the sources
 */
export async function buildConsole(packageDir, onBegin = () => {}) {
  const stampFile = join(packageDir, STAMP);
  const bundler = bundlerVersion();
  const stamp = stampOf(packageDir, bundler);
  const known = readStamp(stampFile);
  const isBuilt = existsSync(join(packageDir, OUTPUT, 'manifest.json'));
  if (isBuilt && known !== undefined && (known.stamp === stamp || bundler === undefined)) return false;
  if (bundler === undefined) throw new MissingDependencies('the console is not current');
  onBegin();
  const files = await withCodings(await bundlesOf(packageDir));
  write(join(packageDir, OUTPUT), files);
  replace(stampFile, JSON.stringify({ stamp }));
  return true;
}

/** A hash of everything that the result depends on. */
function stampOf(packageDir, bundler) {
  const hash = hashOfTools(packageDir, bundler, import.meta.url);
  for (const file of readdirSync(join(packageDir, SOURCES), { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(packageDir, SOURCES, file);
    if (statSync(path).isFile()) hash.update(`\0${file}\0`).update(readFileSync(path));
  }
  for (const file of SHARED) hash.update(`\0${file}\0`).update(readFileSync(join(packageDir, file)));
  return hash.digest('base64url');
}

/** @returns {Promise<Map<string, Buffer>>} the files by their names below `dist/console/` */
async function bundlesOf(packageDir) {
  const sources = join(packageDir, SOURCES);
  const outdir = join(packageDir, OUTPUT);
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: packageDir,
    entryPoints: {
      main: join(sources, 'main.tsx'),
      style: join(sources, 'styles/index.css'),
      theme: join(sources, 'theme-at-start.ts'),
      icon: join(packageDir, ICON),
    },
    outdir,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
    minify: true,
    charset: 'utf8',
    loader: { '.svg': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"', 'globalThis.process': 'undefined' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const files = new Map(
    outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), Buffer.from(contents)]),
  );
  const licences = Buffer.from(licencesOf(packageDir, metafile), 'utf8');
  const licencesFile = `assets/licences-${createHash('sha256').update(licences).digest('hex').slice(0, 8)}.txt`;
  files.set(licencesFile, licences);
  files.set('index.html', indexPage(sources, metafile, licencesFile));
  return files;
}

/** Name, version and licence text of each package in the scripts: licences ask for being passed on with the code. */
function licencesOf(packageDir, { inputs }) {
  const directories = new Set(
    Object.keys(inputs).flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []),
  );
  return [...directories]
    .sort()
    .map((directory) => {
      const path = join(packageDir, directory);
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const texts = readdirSync(path)
        .filter((file) => /^(licen[cs]e|notice)/i.test(file))
        .map((file) => readFileSync(join(path, file), 'utf8').trim());
      return [`${name} ${version} (${license})`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** The page, with the names of the files that it begins with. */
function indexPage(sources, { outputs }, licences) {
  const nameOf = (entry) => {
    const found = Object.entries(outputs).find(
      ([path, { entryPoint }]) => entryPoint === entry && !path.endsWith('.map'),
    );
    if (!found) throw new Error(`the console has no ${entry}`);
    return found[0].slice(OUTPUT.length + 1);
  };
  const entries = {
    script: nameOf(`${SOURCES}/main.tsx`),
    style: nameOf(`${SOURCES}/styles/index.css`),
    theme: nameOf(`${SOURCES}/theme-at-start.ts`),
    icon: nameOf(ICON),
    licences,
  };
  const page = readFileSync(join(sources, 'index.html'), 'utf8').replace(
    /\{(script|style|theme|icon|licences)\}/g,
    (_, name) => entries[name],
  );
  // What the first script imports is fetched together with it.
  const imported = outputs[`${OUTPUT}/${entries.script}`].imports.filter(({ kind }) => kind === 'import-statement');
  const preloads = imported.map(
    ({ path }) => `<link rel="modulepreload" href="{root}${path.slice(OUTPUT.length + 1)}">`,
  );
  return Buffer.from(page.replace('<!-- preloads -->', preloads.join('')), 'utf8');
}

/** Adds what the codings make of each file, where it is shorter. */
async function withCodings(files) {
  const all = await Promise.all(
    [...files].map(async ([name, content]) => {
      if (!name.startsWith('assets/') || content.length < MIN_COMPRESSED_BYTES) return { name, content, coded: [] };
      const [br, gz] = await Promise.all([
        brotli(content, {
          params: {
            [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
            [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
            [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        }),
        gzip(content, { level: 9 }),
      ]);
      const coded = [
        { coding: 'br', ending: '.br', bytes: br },
        { coding: 'gzip', ending: '.gz', bytes: gz },
      ];
      return { name, content, coded: coded.filter(({ bytes }) => bytes.length < content.length) };
    }),
  );
  return all;
}

/** Writes the files, the list last: a gateway that reads it finds all that it names. Files of earlier builds go. */
function write(outdir, files) {
  const manifest = { files: {} };
  const names = new Set(['manifest.json']);
  for (const { name, content, coded } of files) {
    replace(join(outdir, name), content);
    names.add(name);
    for (const { ending, bytes } of coded) {
      replace(join(outdir, `${name}${ending}`), bytes);
      names.add(`${name}${ending}`);
    }
    const type = TYPES[extname(name)];
    if (type === undefined) throw new Error(`the console has no files like ${name}`);
    manifest.files[name] = { type, codings: coded.map(({ coding }) => coding) };
  }
  replace(join(outdir, 'manifest.json'), JSON.stringify(manifest));
  for (const file of readdirSync(outdir, { recursive: true, encoding: 'utf8' })) {
    const path = join(outdir, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && !names.has(file) && !isBeingWritten(file, stats)) rmSync(path, { force: true });
  }
}

/** Whether a build that runs beside this one may be about to rename the file; one that is old is left of a crash. */
function isBeingWritten(file, { mtimeMs }) {
  return TEMPORARY.test(file) && Date.now() - mtimeMs < MAX_BUILD_MS;
}
