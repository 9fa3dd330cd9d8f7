import { fragmentsOf } from '../../graphql/syntax/index.ts';
import type { CompiledOperation, OperationDocument } from '../../sources/index.ts';
import { rootFieldsOf } from '../document/index.ts';
import type { PlanPart } from './operation-plan.ts';
import type { Owner } from './owners.ts';

/** What an owner answers of an operation, for those who may see its plan. */
export function partOf(
  owner: Owner,
  { document, operation }: OperationDocument,
  { describe }: Pick<CompiledOperation, 'describe'>,
  wave: number,
): PlanPart {
  const names = rootFieldsOf(operation, fragmentsOf(document)).map(({ name }) => name);
  return { owner, fields: [...new Set(names)], wave, describe };
}
