import { existsSync, lstatSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** Why a directory could not be made or written to: the end of a message that begins with what it is for. */
export function unwritableReason(directory: string, error: unknown): string {
  const code = errorCode(error);
  const { path } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' && path !== undefined && isBrokenLink(path)) return `${path} is a broken symbolic link`;
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${directory} is a file, or is within one`;
  return `cannot write to ${directory} (${code})`;
}

function isBrokenLink(path: string): boolean {
  return !existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
