import { lstatSync, statSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** Why a directory could not be made or written to: the end of a message that begins with what it is for. */
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

/** Why a path that exists, and is no directory, is a symbolic link that leads nowhere; undefined where it is none. */
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
