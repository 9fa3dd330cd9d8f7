import { fragmentsOf } from '../../graphql/syntax/index.ts';
import type { CompiledOperation, OperationDocument } from '../../sources/index.ts';
import { rootFieldsOf } from '../document/index.ts';
import type { PlanPart } from './operation-plan.ts';
import type { Owner } from './owners.ts';

/** Describes the part of an operation that an owner resolves, for explanations. */
export function partOf(
  owner: Owner,
  { document, operation }: OperationDocument,
  { describe }: Pick<CompiledOperation, 'describe'>,
  wave: number,
): PlanPart {
  const names = rootFieldsOf(operation, fragmentsOf(document)).map(({ name }) => name);
  return { owner, fields: [...new Set(names)], wave, describe };
}
