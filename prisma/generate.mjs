// Writes the Prisma client from schema.prisma, unless the one that is there came from the same schema and version.
// `prisma generate` looks for a native schema engine that it would have to download; it only needs the path to exist,
// because it parses the schema in WebAssembly, so we point it at node itself and stay offline.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, '../auth-service/database/generated');
const stampFile = join(output, '.stamp');

const require = createRequire(import.meta.url);
const manifest = require.resolve('prisma/package.json');
const { version, bin } = require(manifest);
const stamp = createHash('sha256')
  .update(readFileSync(join(here, 'schema.prisma')))
  .update(version)
  .digest('hex');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  execFileSync(
    process.execPath,
    [join(dirname(manifest), bin.prisma), 'generate', '--schema', join(here, 'schema.prisma')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  writeFileSync(stampFile, stamp);
}
