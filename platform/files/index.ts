export { makeDirectory } from './make-directory.ts';
export { makeDirectorySync } from './make-directory-sync.ts';
export { removeEmptyDirectories } from './remove-empty-directories.ts';
export { unwritableReason } from './unwritable-reason.ts';
export { writeFilesTogether } from './write-files-together.ts';
