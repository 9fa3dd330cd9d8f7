import { z } from 'zod';
import { mapping } from './mapping.ts';
import { graphqlName, listOf, name } from './shared-shapes.ts';

/** A step on the path to the field that resolves a relationship, as it is written. */
export interface WrittenStep {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly field?: Readonly<Record<string, WrittenStep>> | null | undefined;
}

const remoteField: z.ZodType<Readonly<Record<string, WrittenStep>>> = z
  .record(
    graphqlName,
    mapping({
      arguments: z
        .record(z.string(), z.unknown())
        .nullish()
        .transform((given) => given ?? {}),
      get field() {
        return remoteField.nullish();
      },
    }),
  )
  .refine((fields) => Object.keys(fields).length === 1, { error: 'expected exactly one field' });

const relationship = mapping({
  name: graphqlName,
  definition: mapping({
    to_remote_schema: mapping({ remote_schema: name, lhs_fields: listOf(graphqlName), remote_field: remoteField }),
  }),
});

/** Null stands for an unsupported relationship. */
export const relationshipsShape = listOf(relationship.nullable());

/** `remote_relationships` of a remote schema. All names are the services' own, as in Hasura. */
export const remoteRelationshipsShape = listOf(mapping({ type_name: graphqlName, relationships: relationshipsShape }));

export type Relationships = z.output<typeof relationshipsShape>;
