// Writes the Prisma client from schema.prisma, unless the one that is there came from the same schema and version.
// `prisma generate` looks for a native schema engine that it would have to download; it only needs the path to exist,
// because it parses the schema in WebAssembly, so we point it at node itself and stay offline.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MissingDependencies } from '../build/missing-dependencies.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, '../auth-service/database/generated');
const stampFile = join(output, '.stamp');
const clientFile = join(output, 'client.ts');
const require = createRequire(import.meta.url);

/**
 * @param {() => void} [onBegin] is called before anything is generated, not when nothing has changed
 * @returns {Promise<boolean>} whether the client was generated
 * @throws {MissingDependencies}
 */
export async function generateClient(onBegin = () => {}) {
  const current = existsSync(stampFile) && existsSync(clientFile) ? readFileSync(stampFile, 'utf8') : undefined;
  const manifest = findPrisma();
  // Prisma's command line belongs to the development dependencies; without them the client that is there has to do.
  if (!manifest && current) return false;
  if (!manifest) throw new MissingDependencies('the database client is missing');
  const { version, bin } = require(manifest);
  const stamp = createHash('sha256')
    .update(readFileSync(join(here, 'schema.prisma')))
    .update(version)
    .digest('hex');
  if (current === stamp) return false;
  onBegin();
  // Of a process that is killed from here on, no stamp and no half-written client may stay: Prisma refuses to write over that.
  rmSync(output, { recursive: true, force: true });
  await promisify(execFile)(
    process.execPath,
    [join(dirname(manifest), bin.prisma), 'generate', '--schema', join(here, 'schema.prisma')],
    {
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  writeFileSync(stampFile, stamp);
  return true;
}

function findPrisma() {
  try {
    return require.resolve('prisma/package.json');
  } catch {
    return undefined;
  }
}
