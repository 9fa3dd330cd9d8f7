import type { Metadata, MetadataProblem, ValuePath } from '../../metadata/index.ts';
import { type SourceError, type SourceProblem, SourceUnreachable } from '../../sources/index.ts';

/** A problem of a remote schema, placed where the metadata describes it. */
export function sourceProblem(
  metadata: Metadata,
  source: string,
  { message, path = [], line }: SourceProblem,
): MetadataProblem {
  const index = metadata.remoteSchemas.findIndex((remote) => remote.name === source);
  const at: ValuePath = [index, ...path];
  const place = metadata.place('remoteSchemas', at, line);
  // Lines of a text in quotes are not those of the file.
  const isElsewhere = line !== undefined && line > 1 && place.line === metadata.place('remoteSchemas', at).line;
  const ending = isElsewhere ? ` (line ${line} of the SDL)` : '';
  return { ...place, message: `remote schema "${source}": ${message}${ending}` };
}

/** Whether a failure of a source is a mistake in its description, rather than a remote that is unreachable now. */
export function isMistake(error: SourceError): boolean {
  return !(error instanceof SourceUnreachable);
}
