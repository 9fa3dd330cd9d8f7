/**
 * PGlite's file system throws objects that are no `Error` and have no text: `errno` is the number of WASI
 * (`wasi_snapshot_preview1`, `errno`).
 */
interface FileSystemFailure {
  readonly name: 'ErrnoError';
  readonly errno: number;
}

const CAUSES: ReadonlyMap<number, string> = new Map([
  [2, 'this user may not (EACCES)'],
  [19, "this user's disk quota is used up (EDQUOT)"],
  [29, 'the disk cannot be read or written (EIO)'],
  [33, 'too many open files (EMFILE)'],
  [51, 'the disk is full (ENOSPC)'],
  [63, 'this user may not (EPERM)'],
  [69, 'its file system is read-only (EROFS)'],
]);

/** Why the embedded database could not be created or opened, on one line. */
export function openFailureReason(error: unknown): string {
  if (isFileSystemFailure(error)) return CAUSES.get(error.errno) ?? `its files fail (errno ${error.errno} of WASI)`;
  return (error instanceof Error ? error.message : String(error)).replaceAll('\n', ' ');
}

function isFileSystemFailure(error: unknown): error is FileSystemFailure {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errno' in error &&
    (error as { name?: unknown }).name === 'ErrnoError'
  );
}
