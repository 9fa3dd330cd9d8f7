import { inThread } from '../../../platform/index.ts';
import { type Source, serviceMessage } from '../../sources/index.ts';
import { compareInSlices, type SchemaChange } from '../generation/index.ts';

/** The maximum number of changes of one schema that are kept. Further changes are only counted. */
const MAX_KEPT_CHANGES = 200;
/**
 * The maximum number of SDL characters of two schemas that are compared in this thread. Comparing 5,000 fields with as
 * many others takes half a second.
 */
const COMPARED_HERE = 64 * 1024;

/** The changes of a schema. */
export interface SourceChanges {
  /** The first changes, breaking ones before the others. */
  readonly changes: readonly SchemaChange[];
  readonly total: number;
  readonly breaking: number;
}

/** Compares two versions of a source. Operations continue in the meantime. */
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

/** The SDL of a source that the graph shows unchanged. Undefined if the SDL is unknown. */
function wholeSdl({ sdl, schema, upstream }: Source): string | undefined {
  const [text] = sdl?.values() ?? [];
  return sdl?.size === 1 && schema === upstream ? text : undefined;
}
