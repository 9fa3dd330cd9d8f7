import type { CompiledOperation } from '../../sources/index.ts';
import type { Owner } from './owners.ts';

/**
 * How an operation is run. It is decided once for each operation of a cached document and each role's graph:
 *
 * - `forward`, `local`: one owner answers all of it, as it has compiled it;
 * - `join`: several services answer it together;
 * - `split`: each of several owners answers its own root fields.
 */
export interface Plan extends Omit<CompiledOperation, 'kind'> {
  readonly kind: CompiledOperation['kind'] | 'split';
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
