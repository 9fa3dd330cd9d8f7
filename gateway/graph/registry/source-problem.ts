import type { Metadata, MetadataProblem, ValuePath } from '../../metadata/index.ts';
import { type SourceError, type SourceProblem, SourceUnreachable } from '../../sources/index.ts';

/** Locates a problem of a remote schema in the metadata. */
export function sourceProblem(
  metadata: Metadata,
  source: string,
  { message, path = [], line }: SourceProblem,
): MetadataProblem {
  const index = metadata.remoteSchemas.findIndex((remote) => remote.name === source);
  const at: ValuePath = [index, ...path];
  const place = metadata.place('remoteSchemas', at, line);
  // The lines of a quoted text differ from the lines of the file.
  const isElsewhere = line !== undefined && line > 1 && place.line === metadata.place('remoteSchemas', at).line;
  const ending = isElsewhere ? ` (line ${line} of the SDL)` : '';
  return { ...place, message: `remote schema "${source}": ${message}${ending}` };
}

/** Whether a failure is a mistake in the source's description and not a temporarily unreachable service. */
export function isMistake(error: SourceError): boolean {
  return !(error instanceof SourceUnreachable);
}
