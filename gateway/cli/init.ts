import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../platform/index.ts';
import { STARTER } from './starter-metadata.ts';

/**
 * `portico init`: writes commented metadata to start from.
 *
 * @returns the files that were written.
 * @throws StartError when the directory holds something already.
 */
export function init(directory: string): readonly string[] {
  if (existsSync(directory) && readdirSync(directory).length > 0)
    throw new StartError(`${directory} is not empty: name a directory that is, or does not exist`);
  mkdirSync(directory, { recursive: true });
  return Object.entries(STARTER).map(([file, text]) => {
    writeFileSync(join(directory, file), text);
    return join(directory, file);
  });
}
