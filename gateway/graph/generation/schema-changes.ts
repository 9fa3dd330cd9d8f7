import type { GraphQLSchema } from 'graphql';
import { affectedCoordinate } from './affected-coordinate.ts';
import { NO_QUERIES_FIELD } from './role-graph.ts';

export interface SchemaChange {
  readonly breaking: boolean;
  readonly message: string;
}

/** A change with the schema coordinate whose users it affects. */
export interface AffectingChange extends SchemaChange {
  /** The schema coordinate that they use; undefined where none tells. */
  readonly coordinate: string | undefined;
}

/** The differences between two schemas, the breaking changes first. */
export async function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<readonly SchemaChange[]> {
  return (await affectingChanges(before, after)).map(({ breaking, message }) => ({ breaking, message }));
}

/** The same with the affected coordinate of each change. */
export async function affectingChanges(
  before: GraphQLSchema,
  after: GraphQLSchema,
): Promise<readonly AffectingChange[]> {
  // Loaded when there is something to compare: a start and most commands need it not.
  const { CriticalityLevel, diff } = await import('@graphql-inspector/core');
  const changes = await diff(before, after);
  return breakingFirst(
    changes
      .filter(({ path }) => path !== `Query.${NO_QUERIES_FIELD}`)
      .map((change) => ({
        breaking: change.criticality.level === CriticalityLevel.Breaking,
        message: change.message,
        coordinate: affectedCoordinate(change),
      })),
  );
}

/** In the same order otherwise. */
export function breakingFirst(changes: readonly AffectingChange[]): readonly AffectingChange[] {
  return changes.toSorted((one, two) => Number(two.breaking) - Number(one.breaking));
}
