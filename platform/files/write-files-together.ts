import {
  copyFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../error-code.ts';

/** A file that is about to be written. */
interface Replacement {
  readonly file: string;
  readonly text: string;
  /** Where the new text is written first. */
  readonly unfinished: string;
  /** Where a copy of the earlier file is kept; undefined where there is none. */
  readonly earlier: string | undefined;
}

/**
 * Writes files of a directory, or none of them: new texts and copies of the earlier files are beside them before the first file
 * is replaced, so that replacing and undoing need no space on the disk. Each file is replaced at once, but not all at the same
 * moment: a reader, or a process that is killed, can see some of them replaced. Symbolic links to files stay links.
 *
 * @param files texts by names.
 * @throws the file system's error. The earlier files are as they were; one that cannot be put back stays beside its place, in
 *   `.earlier-…`.
 */
export function writeFilesTogether(directory: string, files: ReadonlyMap<string, string>): void {
  const replacements = [...files].map(([name, text], index) => replacementOf(join(directory, name), text, index));
  const begun: Replacement[] = [];
  const kept = new Set<string>();
  try {
    for (const { file, text, unfinished, earlier } of replacements) {
      writeFileSync(unfinished, text);
      if (earlier !== undefined) copyFileSync(file, earlier);
    }
    for (const replacement of replacements) {
      begun.push(replacement);
      moveOver(replacement.unfinished, replacement.file);
    }
  } catch (error) {
    for (const replacement of begun.reverse())
      if (!isUndone(replacement) && replacement.earlier !== undefined) kept.add(replacement.earlier);
    throw error;
  } finally {
    for (const { unfinished, earlier } of replacements)
      for (const file of [unfinished, earlier]) if (file !== undefined && !kept.has(file)) removeIfPossible(file);
  }
}

function replacementOf(path: string, text: string, index: number): Replacement {
  const exists = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const file = exists ? realpathSync(path) : path;
  const beside = (word: string) => join(dirname(file), `.${word}-${process.pid}-${index}`);
  return { file, text, unfinished: beside('unfinished'), earlier: exists ? beside('earlier') : undefined };
}

function moveOver(from: string, file: string): void {
  try {
    renameSync(from, file);
  } catch (error) {
    // A file that is mounted by itself can be written, but not replaced.
    if (errorCode(error) !== 'EBUSY') throw error;
    writeFileSync(file, readFileSync(from));
  }
}

function isUndone({ file, unfinished, earlier }: Replacement): boolean {
  try {
    if (earlier !== undefined) moveOver(earlier, file);
    // Where the new text is still under its first name, what has the file's name is not ours.
    else if (!existsSync(unfinished)) rmSync(file);
    return true;
  } catch {
    // The error to report is the one that made it necessary.
    return false;
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // What stays does no harm, and its error must not replace the reason why writing failed.
  }
}
