// Bundles the files that processes and threads begin with: each into one file in place of its compiled one, with what it
// shares with the others, and what it imports on demand, in `dist/chunks/`. Loading the 650 compiled files of a gateway
// takes Node about as long as all the rest of its start.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { bundle } from './bundler.mjs';
import { replace, supersede } from './output-files.mjs';
import { bundledImport } from './packages.mjs';

/** The files that processes and threads begin with, by their folder. Each folder is bundled by itself. */
export const PROGRAMS = {
  'auth-service': [
    'auth-service/cli/portico-auth.ts',
    'auth-service/cli/seed-demo.ts',
    'auth-service/main.ts',
    'auth-service/passwords/bcrypt-worker.ts',
    // What `npm start` loads before the service begins.
    'auth-service/process/index.ts',
  ],
  examples: ['examples/orders/main.ts'],
  gateway: [
    'gateway/operations/check/weigh-changes-worker.ts',
    'gateway/operations/cli/main.ts',
    'gateway/planning/composition/compose-worker.ts',
    'gateway/graph/registry/source-changes-worker.ts',
    'gateway/operations/insight/metadata-files-worker.ts',
    'gateway/main.ts',
    // What `npm start` loads before the gateway begins.
    'gateway/process/index.ts',
    'gateway/sources/opening/schema-answer-worker.ts',
  ],
  start: ['start/embedded-database/main.ts', 'start/launch.ts', 'start/main.ts', 'start/preload.ts'],
};

const ALL = new Set(Object.values(PROGRAMS).flat());

/** Whether a source is bundled, and not compiled by itself. */
export function isProgram(source) {
  return ALL.has(source);
}

/**
 * Bundles the programs of a folder, as far as their sources are there.
 *
 * @param {string} packageDir
 * @param {string} folder
 * @param {readonly string[] | undefined} last the chunks of the last time, if they are known
 * @returns {Promise<{ programs: string[], chunks: string[] }>} the sources of the programs, and the files that they share or
 * import on demand, below the folder's `chunksOf`
 */
export async function bundlePrograms(packageDir, folder, last) {
  const dist = join(packageDir, 'dist');
  const programs = PROGRAMS[folder].filter((source) => existsSync(join(packageDir, source)));
  if (programs.length === 0) return { programs, chunks: [] };
  const chunks = `chunks/${folder}`;
  const { outputFiles } = await bundle({
    absWorkingDir: packageDir,
    entryPoints: programs,
    outbase: packageDir,
    outdir: dist,
    chunkNames: `${chunks}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfigRaw: { compilerOptions: { target: 'es2022', verbatimModuleSyntax: true } },
    packages: 'external',
    plugins: [packagesFromBundles],
    charset: 'ascii',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    logLevel: 'silent',
  });
  const files = outputFiles.map(({ path, contents }) => ({
    name: relative(dist, path).replaceAll(sep, '/'),
    contents,
  }));
  // What is imported is there before what imports it.
  const isChunk = ({ name }) => name.startsWith(`${chunks}/`);
  const chunksFirst = [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))];
  const written = files.filter(isChunk).map(({ name }) => name.slice(chunks.length + 1));
  supersede(join(packageDir, chunksOf(folder)), new Set(written), last);
  for (const { name, contents } of chunksFirst) replace(join(dist, name), contents);
  return { programs, chunks: written };
}

/** Where the chunks of a folder's programs are. */
export function chunksOf(folder) {
  return `dist/chunks/${folder}`;
}

/** Bundled packages are imported from their bundles, as in the compiled files. */
const packagesFromBundles = {
  name: 'packages-from-bundles',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      const bundle = kind === 'entry-point' ? undefined : bundledImport(path);
      return bundle === undefined ? undefined : { path: bundle, external: true };
    });
  },
};
