import { CriticalityLevel, diff } from '@graphql-inspector/core';
import type { GraphQLSchema } from 'graphql';
import { PLACEHOLDER } from './role-graph.ts';

export interface SchemaChange {
  readonly breaking: boolean;
  readonly message: string;
}

/** What is different between two schemas, the breaking changes first. */
export async function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<readonly SchemaChange[]> {
  const changes = await diff(before, after);
  return changes
    .filter(({ path }) => path !== `Query.${PLACEHOLDER}`)
    .map((change) => ({ breaking: change.criticality.level === CriticalityLevel.Breaking, message: change.message }))
    .sort((one, two) => Number(two.breaking) - Number(one.breaking));
}
