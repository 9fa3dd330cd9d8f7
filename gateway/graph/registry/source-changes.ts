import type { Source } from '../../sources/index.ts';
import { compareInSlices, type SchemaChange } from '../generation/index.ts';

/** What is different between what a source was and what it is, the breaking changes first. Operations go on meanwhile. */
export async function sourceChanges(before: Source, after: Source): Promise<readonly SchemaChange[]> {
  const changes = await compareInSlices(before.schema, after.schema, before.definitions, after.definitions);
  return changes.map(({ breaking, message }) => ({ breaking, message }));
}
