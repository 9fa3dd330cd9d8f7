import { inThread } from '../../../platform/index.ts';
import { type Source, serviceMessage } from '../../sources/index.ts';
import { compareInSlices, type SchemaChange } from '../generation/index.ts';

/** Changes of one schema that are kept; of more the number is. */
const MAX_KEPT_CHANGES = 200;
/** SDL, in characters, up to which two schemas are compared here: to compare 5,000 fields with as many others takes half a second. */
const COMPARED_HERE = 64 * 1024;

/** How a schema changed. */
export interface SourceChanges {
  /** The first ones, the breaking ones before the others. */
  readonly changes: readonly SchemaChange[];
  readonly total: number;
  readonly breaking: number;
}

/** What is different between what a source was and what it is. Operations go on meanwhile. */
export async function sourceChanges(before: Source, after: Source): Promise<SourceChanges> {
  const [then, now] = [wholeSdl(before), wholeSdl(after)];
  if (then !== undefined && now !== undefined && then.length + now.length > COMPARED_HERE)
    return inThread<SourceChanges>('gateway/graph/registry/source-changes-worker.js', { then, now });
  return firstChanges(await compareInSlices(before.schema, after.schema, before.definitions, after.definitions));
}

export function firstChanges(changes: readonly SchemaChange[]): SourceChanges {
  return {
    changes: changes
      .slice(0, MAX_KEPT_CHANGES)
      .map(({ breaking, message }) => ({ breaking, message: serviceMessage(message) })),
    total: changes.length,
    breaking: changes.filter(({ breaking }) => breaking).length,
  };
}

/** The SDL of a source that the graph shows as it is; undefined where it is not known. */
function wholeSdl({ sdl, schema, upstream }: Source): string | undefined {
  const [text] = sdl?.values() ?? [];
  return sdl?.size === 1 && schema === upstream ? text : undefined;
}
