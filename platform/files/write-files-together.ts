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

/** A file to be written. */
interface Replacement {
  readonly file: string;
  readonly text: string;
  /** The temporary file for the new text. */
  readonly unfinished: string;
  /** The copy of the earlier file and its stats. Undefined if there is no earlier file. */
  readonly earlier: { readonly copy: string; readonly stats: Stats } | undefined;
}

/**
 * Writes several files of a directory, or none of them. New texts and copies of the earlier files are written next to them
 * before the first file is replaced, so that replacing and undoing need no disk space. Each file is replaced atomically, but
 * not all at the same moment: a reader may see only some of them replaced, and this state remains if the process is killed.
 * Symbolic links stay links, and files keep their modes, and their owners if this user may set them.
 *
 * @param files texts by file name.
 * @throws the file system's error. The earlier files are restored then. A file that cannot be restored is kept next to its
 * place, in `.earlier-…`.
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
  // Readable only by its owner until it has the mode of the earlier file.
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
    // A file that is a mount point can be written, but not replaced.
    if (errorCode(error) !== 'EBUSY') throw error;
    writeFileSync(file, readFileSync(from));
  }
}

function isUndone({ file, unfinished, earlier }: Replacement): boolean {
  try {
    if (earlier) moveOver(earlier.copy, file);
    // If the temporary file still exists, the file with the final name was not created here.
    else if (!existsSync(unfinished)) rmSync(file);
    return true;
  } catch {
    // The original error is the one to report.
    return false;
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A remaining temporary file is harmless, and its error must not replace the original one.
  }
}
