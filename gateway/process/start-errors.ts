import { asStartError } from '../metadata/index.ts';

/**
 * Opens parts that the metadata configures.
 *
 * @throws StartError for invalid metadata, with a line for each problem.
 */
export function withStartErrors<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw asStartError(error, 'HASURA_GRAPHQL_METADATA_DIR: the metadata is not valid:');
  }
}
