import { PGlite } from '@electric-sql/pglite';

/**
 * What PGlite starts PostgreSQL with. Its default buffers take 128 MB, which are filled with zeros at each start: a third of the
 * processor time of a start, and most of the memory. The files are in the memory of this process, or in the cache of the
 * system, all the same.
 */
export const START_PARAMETERS: readonly string[] = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];
