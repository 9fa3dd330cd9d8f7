import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
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
  /** Where a copy of the earlier file is kept, and what that is; undefined where there is none. */
  readonly earlier: { readonly copy: string; readonly stats: Stats } | undefined;
}

/**
 * Writes files of a directory, or none of them: new texts and copies of the earlier files are beside them before the first file
 * is replaced, so that replacing and undoing need no space on the disk. Each file is replaced at once, but not all at the same
 * moment: a reader, or a process that is killed, can see some of them replaced. Symbolic links to files stay links, and files
 * keep their modes, and their owners where this user may give files to them.
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
    for (const replacement of replacements) writeBeside(replacement);
    for (const replacement of replacements) {
      begun.push(replacement);
      moveOver(replacement.unfinished, replacement.file);
    }
  } catch (error) {
    for (const replacement of begun.reverse())
      if (!isUndone(replacement) && replacement.earlier) kept.add(replacement.earlier.copy);
    throw error;
  } finally {
    for (const { unfinished, earlier } of replacements)
      for (const file of [unfinished, earlier?.copy]) if (file !== undefined && !kept.has(file)) removeIfPossible(file);
  }
}

function replacementOf(path: string, text: string, index: number): Replacement {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isFile = stats?.isFile() === true;
  const file = isFile ? realpathSync(path) : path;
  const beside = (word: string) => join(dirname(file), `.${word}-${process.pid}-${index}`);
  return {
    file,
    text,
    unfinished: beside('unfinished'),
    earlier: isFile ? { copy: beside('earlier'), stats } : undefined,
  };
}

function writeBeside({ file, text, unfinished, earlier }: Replacement): void {
  if (!earlier) {
    writeFileSync(unfinished, text);
    return;
  }
  const { copy, stats } = earlier;
  // Readable by its owner only until it has the mode of the earlier file.
  writeFileSync(unfinished, text, { mode: 0o600 });
  makeLike(unfinished, stats);
  copyFileSync(file, copy);
  makeLike(copy, stats);
}

function makeLike(file: string, { uid, gid, mode }: Stats): void {
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid)
    try {
      chownSync(file, uid, gid);
    } catch (error) {
      if (errorCode(error) !== 'EPERM') throw error;
    }
  chmodSync(file, mode & 0o7777);
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
    if (earlier) moveOver(earlier.copy, file);
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
