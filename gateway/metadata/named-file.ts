import type { MetadataStore } from './store.ts';
import { type MetadataLocation, type MetadataProblem, pathWithin } from './yaml/index.ts';

/**
 * Reads a file that an entry of the metadata names, relative to the metadata directory.
 *
 * @param location of the entry, where problems are reported
 */
export function readNamedFile(
  store: MetadataStore,
  file: string,
  location: MetadataLocation,
  problems: MetadataProblem[],
): { readonly path: string; readonly content: string } | undefined {
  const path = pathWithin(file);
  const before = problems.length;
  const content = path === undefined ? undefined : store.file(path);
  if (path !== undefined && content !== undefined) return { path, content };
  // A file that exists but cannot be read has already been reported.
  if (problems.length === before) {
    const state = path === undefined ? 'is outside of' : 'does not exist in';
    problems.push({ ...location, message: `"${file}" ${state} the metadata directory` });
  }
  return undefined;
}
