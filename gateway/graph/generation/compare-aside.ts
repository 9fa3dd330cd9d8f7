import { type GraphQLSchema, printSchema } from 'graphql';
import { inThread } from '../../../platform/index.ts';
import { type AffectingChange, affectingChanges } from './schema-changes.ts';

/** Types up to which schemas are compared sooner than a thread starts. */
const COMPARED_AT_ONCE = 100;

/** What it parses is dead at once. */
const COMPARISON_YOUNG_MB = 8;

/** A schema that is to be compared. */
export interface ComparedSchema {
  readonly schema: GraphQLSchema;
  /** The same as SDL, where it is known: to print it takes long where it is large. */
  readonly sdl?: string | undefined;
}

/**
 * What is different between two schemas, the breaking changes first. Large ones are compared in a thread, so that operations go on
 * meanwhile.
 */
export async function compareAside(before: ComparedSchema, after: ComparedSchema): Promise<readonly AffectingChange[]> {
  if (typeCount(before) + typeCount(after) <= COMPARED_AT_ONCE) return affectingChanges(before.schema, after.schema);
  const given = [comparedSdl(before), comparedSdl(after)];
  if (given[0] === given[1]) return [];
  return inThread('gateway/graph/generation/schema-changes-worker.js', given, {
    maxYoungGenerationSizeMb: COMPARISON_YOUNG_MB,
  });
}

function typeCount({ schema }: ComparedSchema): number {
  return Object.keys(schema.getTypeMap()).length;
}

function comparedSdl({ schema, sdl }: ComparedSchema): string {
  return sdl ?? printSchema(schema);
}
