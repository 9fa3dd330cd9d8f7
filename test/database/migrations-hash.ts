import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

/** Tells one state of the migrations from another: 16 hexadecimal digits. */
export async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of (await readdir(MIGRATIONS, { recursive: true })).sort())
    if (entry.endsWith('.sql')) hash.update(entry).update(await readFile(join(MIGRATIONS, entry)));
  return hash.digest('hex').slice(0, 16);
}
