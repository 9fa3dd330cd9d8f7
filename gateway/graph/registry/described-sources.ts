import { type Metadata, MetadataError, type MetadataProblem } from '../../metadata/index.ts';
import {
  openActions,
  type RemoteSchema,
  remoteSchema,
  type Source,
  type SourceDependencies,
  SourceError,
  type SourceProblem,
} from '../../sources/index.ts';
import { sourceProblem } from './source-problem.ts';

export interface DescribedSources {
  /** The remote schemas in the order of the metadata, before their introspection. */
  readonly remotes: readonly RemoteSchema[];
  readonly actions: Source | undefined;
}

/**
 * Creates the sources that the metadata describes.
 *
 * @throws MetadataError listing everything that cannot work, however the remotes respond.
 */
export function describedSources(metadata: Metadata, surroundings: SourceDependencies): DescribedSources {
  const problems: MetadataProblem[] = [];
  const remotes = metadata.remoteSchemas.flatMap((remote) =>
    collectProblems(
      () => remoteSchema(remote, surroundings),
      problems,
      (problem) => sourceProblem(metadata, remote.name, problem),
    ),
  );
  const [actions] = collectProblems(
    () => openActions(metadata, surroundings),
    problems,
    ({ message, path = [] }) => ({ ...metadata.place('actions', path), message }),
  );
  if (problems.length > 0) throw new MetadataError(problems);
  return { remotes, actions };
}

function collectProblems<T>(
  open: () => T,
  problems: MetadataProblem[],
  placed: (problem: SourceProblem) => MetadataProblem,
): T[] {
  try {
    return [open()];
  } catch (error) {
    if (error instanceof MetadataError) problems.push(...error.problems);
    else if (error instanceof SourceError) problems.push(...error.problems.map(placed));
    else throw error;
    return [];
  }
}
