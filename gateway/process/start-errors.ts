import { StartError } from '../../platform/index.ts';
import { describeProblem, MetadataError } from '../metadata/index.ts';

/**
 * Opens parts that the metadata configures.
 *
 * @throws StartError for invalid metadata, with a line for each problem.
 */
export function withStartErrors<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof MetadataError)
      throw new StartError(
        ['HASURA_GRAPHQL_METADATA_DIR: the metadata is not valid:', ...error.problems.map(describeProblem)].join(
          '\n  ',
        ),
      );
    throw error;
  }
}
