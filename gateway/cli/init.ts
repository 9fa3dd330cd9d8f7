import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../platform/index.ts';
import { STARTER } from './starter-metadata.ts';

/**
 * `portico init`: writes commented metadata to start from.
 *
 * @returns the files that were written.
 * @throws StartError when the directory holds something already, or cannot be written.
 */
export function init(directory: string): readonly string[] {
  try {
    mkdirSync(directory, { recursive: true });
    if (readdirSync(directory).length > 0)
      throw new StartError(`${directory} is not empty: name a directory that is, or does not exist`);
    return Object.entries(STARTER).map(([file, text]) => {
      writeFileSync(join(directory, file), text);
      return join(directory, file);
    });
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${directory} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
