import { lstatSync, statSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/**
 * Returns why a directory could not be made or written to. The text completes a message that begins with the purpose of the
 * directory.
 */
export function unwritableReason(directory: string, error: unknown): string {
  const code = errorCode(error);
  const { path } = error as NodeJS.ErrnoException;
  const linkProblem = code === 'EEXIST' && path !== undefined ? problemOfLink(path) : undefined;
  if (linkProblem !== undefined) return linkProblem;
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${directory} is a file, or is within one`;
  const cause = UNWRITABLE_CAUSES.get(code ?? '');
  return `cannot write to ${directory}${cause === undefined ? '' : `: ${cause}`} (${code})`;
}

const UNWRITABLE_CAUSES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not'],
  ['EPERM', 'this user may not'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', "this user's disk quota is used up"],
]);

/** Returns the problem of a path that is a broken symbolic link, or undefined for any other path. */
function problemOfLink(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  try {
    statSync(path);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ELOOP') return `${path} is a broken symbolic link`;
    return `cannot follow the symbolic link ${path} (${code})`;
  }
}
