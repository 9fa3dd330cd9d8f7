import type { CompiledOperation } from '../../sources/index.ts';

/**
 * How an operation is run. It is decided once for each operation of a cached document and each role's graph:
 *
 * - `forward`, `local`, `join`: one owner answers all of it, as it has prepared it;
 * - `split`: each of several owners answers its own root fields;
 * - `stitch`: the stitched schema is executed.
 */
export interface Plan extends Omit<CompiledOperation, 'kind'> {
  readonly kind: CompiledOperation['kind'] | 'split' | 'stitch';
}
