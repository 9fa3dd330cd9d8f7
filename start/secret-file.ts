import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { StartError } from '../platform/index.ts';

/**
 * The secrets in the file `name` of the data directory, JSON of this shape; `make` generates them if there is no such file.
 *
 * @throws StartError when the file exists but cannot be used; new secrets in its place could lock users out permanently.
 */
export function readOrCreateSecrets<Shape extends z.ZodType>(
  dataDir: string,
  name: string,
  shape: Shape,
  make: () => z.input<Shape>,
): z.output<Shape> {
  const path = join(dataDir, name);
  const text = readIfThere(path) ?? createSecretFile(path, make());
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new StartError(`PORTICO_DATA_DIR: ${path} does not contain the secrets that were written there`);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StartError(`PORTICO_DATA_DIR: cannot read ${path} (${code})`);
  }
}

/** @returns the content of the file: if two launchers start at once, the first one's secrets. */
function createSecretFile(path: string, secrets: unknown): string {
  // Written to a temporary file and linked, so that the file is complete or missing.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(path, 'utf8');
}
