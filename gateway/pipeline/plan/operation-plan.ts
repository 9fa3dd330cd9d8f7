import type { CompiledOperation } from '../../sources/index.ts';
import type { Owner } from './owners.ts';

/**
 * The plan of an operation, created once for each operation of a cached document and each role's graph:
 *
 * - `forward`, `local`: one owner resolves all of the operation.
 * - `join`: several services resolve it together.
 * - `split`: each of several owners resolves its own root fields.
 */
export interface Plan extends Omit<CompiledOperation, 'kind'> {
  readonly kind: CompiledOperation['kind'] | 'split';
  /** The parts of the owners. Undefined if they are decided while the plan runs. */
  readonly parts?: readonly PlanPart[];
}

/** The root fields that one owner resolves. */
export interface PlanPart {
  readonly owner: Owner;
  readonly fields: readonly string[];
  /** The number of the wave, starting at 1. The parts of a mutation run one after another. */
  readonly wave: number;
  readonly describe: CompiledOperation['describe'];
}
