import { type GraphQLSchema, printSchema } from 'graphql';
import { inThread } from '../../../platform/index.ts';
import type { Source } from '../../sources/index.ts';
import { type SchemaChange, schemaChanges } from '../generation/index.ts';

/** Types up to which schemas are compared sooner than a thread starts. */
const COMPARED_AT_ONCE = 100;

/** What it parses is dead at once. */
const COMPARISON_YOUNG_MB = 8;

/** What is different between what a source was and what it is, the breaking changes first. Operations go on meanwhile. */
export async function sourceChanges(before: Source, after: Source): Promise<readonly SchemaChange[]> {
  if (typeCount(before.schema) + typeCount(after.schema) <= COMPARED_AT_ONCE)
    return schemaChanges(before.schema, after.schema);
  const given = [sourceSdl(before), sourceSdl(after)];
  return inThread('gateway/graph/generation/schema-changes-worker.js', given, {
    maxYoungGenerationSizeMb: COMPARISON_YOUNG_MB,
  });
}

function typeCount(schema: GraphQLSchema): number {
  return Object.keys(schema.getTypeMap()).length;
}

function sourceSdl({ schema, schemaSdl }: Source): string {
  return schemaSdl ?? printSchema(schema);
}
