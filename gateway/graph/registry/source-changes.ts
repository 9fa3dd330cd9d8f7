import { type Source, serviceMessage } from '../../sources/index.ts';
import { compareInSlices, type SchemaChange } from '../generation/index.ts';

/** Changes of one schema that are kept; of more the number is. */
const MAX_KEPT_CHANGES = 200;

/** How a schema changed. */
export interface SourceChanges {
  /** The first ones, the breaking ones before the others. */
  readonly changes: readonly SchemaChange[];
  readonly total: number;
  readonly breaking: number;
}

/** What is different between what a source was and what it is. Operations go on meanwhile. */
export async function sourceChanges(before: Source, after: Source): Promise<SourceChanges> {
  const changes = await compareInSlices(before.schema, after.schema, before.definitions, after.definitions);
  return {
    changes: changes
      .slice(0, MAX_KEPT_CHANGES)
      .map(({ breaking, message }) => ({ breaking, message: serviceMessage(message) })),
    total: changes.length,
    breaking: changes.filter(({ breaking }) => breaking).length,
  };
}
