import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  errorCode,
  makeDirectorySync,
  removeEmptyDirectories,
  StartError,
  unwritableReason,
  writeFilesTogether,
} from '../../../platform/index.ts';
import type { GeneratedFile } from './generated-file.ts';

/** What happened to a file. `kept` is a file of the developer, which is never replaced. */
export interface WrittenFile {
  readonly file: string;
  readonly outcome: 'written' | 'unchanged' | 'kept';
}

/**
 * Writes generated files, all or none.
 *
 * @param force whether to replace files of the generator that differ.
 * @throws StartError if files differ and `force` is not set, or if they cannot be written.
 */
export function writeGenerated(
  directory: string,
  files: readonly GeneratedFile[],
  force: boolean,
): readonly WrittenFile[] {
  // The path is resolved first: for `missing/../handlers`, `missing` must not be created.
  const target = resolve(directory);
  const outcomes = files.map(({ name, text, owner }) => {
    const existing = existingText(directory, join(target, name));
    if (existing === undefined) return 'written';
    if (existing === text) return 'unchanged';
    return owner === 'developer' ? 'kept' : 'different';
  });
  const different = files
    .filter((_, index) => outcomes[index] === 'different')
    .map(({ name }) => join(directory, name));
  if (different.length > 0 && !force)
    throw new StartError(
      `${different.join(', ')}: exists with another content, and nothing was written. ` +
        '--force replaces generated files. It never replaces the files with your handlers.',
    );
  const written = new Map(
    files
      .filter((_, index) => ['written', 'different'].includes(outcomes[index] ?? ''))
      .map(({ name, text }) => [name, text]),
  );
  let made: readonly string[] = [];
  try {
    made = makeDirectorySync(target);
    writeFilesTogether(target, written);
  } catch (error) {
    removeEmptyDirectories(made);
    throw new StartError(`codegen: ${unwritableReason(directory, error)}`);
  }
  return files.map(({ name }, index) => {
    const outcome = outcomes[index];
    return {
      file: join(directory, name),
      outcome: outcome === 'unchanged' || outcome === 'kept' ? outcome : 'written',
    };
  });
}

/** Returns undefined if there is no such file. */
function existingText(directory: string, file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new StartError(`codegen: ${unwritableReason(directory, error)}`);
  }
}
