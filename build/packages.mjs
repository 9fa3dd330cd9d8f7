// Bundles packages that services load into `dist/packages/`, a file for each way in and chunks for what they share. Loading
// the 1,400 files that they have takes Node three times as long as evaluating them. The compiled code imports these files in
// place of the packages (`build/compile.mjs`), so that a process has one copy of each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundlerVersion, hashOfTools, readStamp } from './bundle-stamp.mjs';
import { bundle } from './bundler.mjs';
import { MissingDependencies } from './missing-dependencies.mjs';
import { hasAll, replace, supersede } from './output-files.mjs';

const OUTPUT = 'dist/packages';
const STAMP = 'dist/.packages.json';

/**
 * What is bundled, as `import` names it. A package that is not here is loaded from `node_modules/`: native addons,
 * WebAssembly and files that a package looks for beside its own code (`piscina`, `@electric-sql/pglite`, `@prisma/client`,
 * `@prisma/schema-engine-wasm`), and what is one file anyway. None of those may depend on one of these: a process would have
 * it twice.
 */
export const BUNDLED_PACKAGES = [
  '@fastify/busboy',
  '@graphql-inspector/core',
  '@graphql-tools/schema',
  '@graphql-tools/utils',
  '@prisma/adapter-pg',
  '@prisma/driver-adapter-utils',
  '@theguild/federation-composition',
  'bcryptjs',
  'croner',
  'express',
  'graphql',
  'graphql/utilities/extendSchema.js',
  'graphql-http',
  'graphql-http/lib/use/express',
  'graphql-ws',
  'graphql-ws/use/ws',
  'ioredis',
  'jsonwebtoken',
  'pg',
  'pino',
  'prom-client',
  'undici',
  'ws',
  'yaml',
  'zod',
];

/** Tried by packages above, which do without. */
const OPTIONAL = ['bufferutil', 'pg-native', 'utf-8-validate'];

/**
 * What compiled code imports in place of a package: `#packages/` is a name of `package.json` for `dist/packages/`.
 *
 * @param {string} imported what an `import` names
 * @returns {string | undefined} undefined for what is not bundled
 */
export function bundledImport(imported) {
  return BUNDLED_PACKAGES.includes(imported) ? `#packages/${fileOf(imported)}` : undefined;
}

/** The file of a bundle, below `dist/packages/`. */
function fileOf(imported) {
  return `${imported.replace(/\.js$/, '')}.js`;
}

/**
 * Brings `dist/packages/` up to date with the installed packages.
 *
 * @param {string} packageDir
 * @param {() => void} [onBegin] called before anything is bundled, and not at all when nothing is
 * @returns {Promise<boolean>} whether it was bundled
 * @throws {MissingDependencies}
 */
export async function bundlePackages(packageDir, onBegin = () => {}) {
  const stampFile = join(packageDir, STAMP);
  const bundler = bundlerVersion();
  const stamp = hashOfTools(packageDir, bundler, import.meta.url).digest('base64url');
  const outdir = join(packageDir, OUTPUT);
  const known = readStamp(stampFile);
  const isWhole = known !== undefined && hasAll(outdir, known.files ?? []);
  if (isWhole && (known.stamp === stamp || bundler === undefined)) return false;
  if (bundler === undefined) throw new MissingDependencies('the bundled packages are not current');
  onBegin();
  const files = await bundlesOf(packageDir, outdir);
  supersede(outdir, files, known?.files);
  // What is imported is there before what imports it.
  const chunksFirst = [...files].sort(([one], [other]) => isEntry(one) - isEntry(other));
  for (const [name, content] of chunksFirst) replace(join(outdir, name), content);
  replace(stampFile, JSON.stringify({ stamp, files: [...files.keys()] }));
  return true;
}

/** @returns {Promise<Map<string, Uint8Array>>} the files by their names below `dist/packages/` */
async function bundlesOf(packageDir, outdir) {
  const contents = new Map(await Promise.all(BUNDLED_PACKAGES.map(async (name) => [name, await exportsOf(name)])));
  const { outputFiles } = await bundle({
    absWorkingDir: packageDir,
    entryPoints: BUNDLED_PACKAGES.map((name) => ({
      in: `bundled:${name}`,
      out: fileOf(name).slice(0, -'.js'.length),
    })),
    outdir,
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    // Those of Node alone: with `module`, which is the bundler's own, a package may have other exports.
    conditions: [],
    target: 'node20.19',
    external: OPTIONAL,
    // Packages that are not modules of ECMAScript call `require` for those of Node.
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module';\nconst require = $createRequire(import.meta.url);",
    },
    // A process keeps the text of what it loads: twice as long in memory where a character is not one of Latin 1.
    charset: 'ascii',
    minifyWhitespace: true,
    legalComments: 'eof',
    write: false,
    logLevel: 'warning',
    plugins: [
      {
        name: 'bundled',
        setup({ onResolve, onLoad }) {
          // Where a module is one of ECMAScript by its name, `default` of another one is what Node makes of it.
          onResolve({ filter: /^bundled:/ }, ({ path }) => ({ path: `${path}.mjs`, namespace: 'bundled' }));
          // Modules of packages import `graphql` by the same module as compiled code: each would have a getter of its own for each
          // export, 30,000 in all.
          onResolve({ filter: /^graphql$/ }, ({ kind, namespace }) =>
            kind === 'import-statement' && namespace !== 'bundled'
              ? { path: 'bundled:graphql.mjs', namespace: 'bundled' }
              : undefined,
          );
          onLoad({ filter: /./, namespace: 'bundled' }, ({ path }) => ({
            contents: contents.get(path.slice('bundled:'.length, -'.mjs'.length)),
            resolveDir: packageDir,
          }));
        },
      },
      withoutOwnUndici,
    ],
  });
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), contents]));
}

/** What packages look at only for Node to load its own undici, and what a bundle has there. */
const LOOKS_AT_OWN_UNDICI = [
  // Whether Cloudflare runs it: its `Response` would show it.
  { file: /[\\/]pg[\\/]lib[\\/]stream\.js$/, from: 'if (isCloudflareRuntime())', to: 'if (false)' },
  // Functions that nothing here calls take cookies from Node's own `Headers` too.
  {
    file: /[\\/]undici[\\/]lib[\\/]web[\\/]cookies[\\/]index\.js$/,
    from: '[Headers, globalThis.Headers]',
    to: '[Headers]',
  },
];

/** Node's own undici takes 50 ms of processor time to load: 8 % of a gateway's loading, 12 % of a command of the auth service. */
const withoutOwnUndici = {
  name: 'without-own-undici',
  setup({ onLoad }) {
    for (const { file, from, to } of LOOKS_AT_OWN_UNDICI)
      onLoad({ filter: file }, ({ path }) => ({ contents: readFileSync(path, 'utf8').replace(from, to) }));
  },
};

/**
 * A module that exports what Node's own loader finds in a package. A bundler cannot tell for those that are not modules of
 * ECMAScript.
 */
async function exportsOf(name) {
  const names = Object.keys(await import(name)).filter((exported) => exported !== 'module.exports');
  return `export { ${names.join(', ')} } from ${JSON.stringify(name)};`;
}

function isEntry(name) {
  return name.startsWith('chunks/') ? 0 : 1;
}
