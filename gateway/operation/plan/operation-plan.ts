import type { CompiledOperation } from '../../sources/index.ts';
import type { Owner } from './owners.ts';

/**
 * How an operation is run. It is decided once for each operation of a cached document and each role's graph:
 *
 * - `forward`, `local`, `join`: one owner answers all of it, as it has prepared it;
 * - `split`: each of several owners answers its own root fields;
 * - `stitch`: the stitched schema is executed.
 */
export interface Plan extends Omit<CompiledOperation, 'kind'> {
  readonly kind: CompiledOperation['kind'] | 'split' | 'stitch';
  /** What each owner answers; undefined where it is decided while the plan runs. */
  readonly parts?: readonly PlanPart[];
}

/** Root fields that one owner answers. */
export interface PlanPart {
  readonly owner: Owner;
  readonly fields: readonly string[];
  /** The parts of a mutation run one after the other: from 1 on. */
  readonly wave: number;
  readonly describe: CompiledOperation['describe'];
}
