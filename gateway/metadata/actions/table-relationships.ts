import { Kind, type ObjectTypeDefinitionNode, type TypeNode } from 'graphql';
import { z } from 'zod';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from '../yaml/index.ts';
import type { ActionTypes } from './action-types.ts';

const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** Relationships of action types to tables, which Portico ignores. Only the parts that depend on the types. */
const writtenShape = z.object({
  actions: z.array(z.object({ name: z.string() })).nullish(),
  custom_types: z.object({
    objects: z.array(
      z.object({
        name: z.string(),
        relationships: z
          .array(z.object({ name: z.string(), field_mapping: z.record(z.string(), z.unknown()).nullish() }))
          .nullish(),
      }),
    ),
  }),
});

type WrittenRelationship = NonNullable<
  z.output<typeof writtenShape>['custom_types']['objects'][number]['relationships']
>[number];

/**
 * Reports what Hasura rejects in relationships to tables, with Hasura's messages. They have no effect in Portico, but would
 * prevent moving the metadata back to Hasura. A relationship joins by scalar fields that are not lists. An asynchronous action
 * has either relationships or nested objects.
 *
 * @param written the value of `actions.yaml`.
 */
export function tableRelationshipProblems(
  written: unknown,
  { document, asyncOutputs }: Pick<ActionTypes, 'document' | 'asyncOutputs'>,
  place: (path: ValuePath) => MetadataLocation,
): readonly MetadataProblem[] {
  const parsed = writtenShape.safeParse(written);
  if (!parsed.success) return [];
  const { actions, custom_types: types } = parsed.data;
  const objects = new Map<string, ObjectTypeDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION && !ROOT_TYPES.has(definition.name.value))
      objects.set(definition.name.value, definition);
  const isObject = (type: TypeNode) => objects.has(innermostTypeName(type));
  const related = new Set<string>();
  const problems = types.objects.flatMap(({ name: type, relationships }, index) =>
    (relationships ?? []).flatMap((relationship, position): readonly MetadataProblem[] => {
      if (!relationship.field_mapping) return [];
      related.add(type);
      const at = ['custom_types', 'objects', index, 'relationships', position, 'field_mapping'];
      return mappingProblems(relationship, objects.get(type), isObject).map(({ field, message }) => ({
        ...place([...at, field]),
        message,
      }));
    }),
  );
  for (const [action, output] of asyncOutputs) {
    const type = innermostTypeName(output);
    const nested = (objects.get(type)?.fields ?? []).filter((field) => isObject(field.type));
    if (!related.has(type) || nested.length === 0) continue;
    const names = nested.map(({ name }) => `"${name.value}"`).join(', ');
    const path = ['actions', (actions ?? []).findIndex(({ name }) => name === action)];
    problems.push({ ...place(path), message: `Async action relations cannot be used with object fields: ${names}` });
  }
  return problems;
}

function mappingProblems(
  { name: relationship, field_mapping: mapping }: WrittenRelationship,
  type: ObjectTypeDefinitionNode | undefined,
  isObject: (type: TypeNode) => boolean,
): readonly { field: string; message: string }[] {
  if (!type) return [];
  const invalid = 'validation for the given custom types failed because';
  const place = (field: string) =>
    `the field "${field}" for relationship "${relationship}" in object type "${type.name.value}"`;
  return Object.keys(mapping ?? {}).flatMap((field) => {
    const own = type.fields?.find(({ name }) => name.value === field);
    if (!own) return { field, message: `${invalid} ${place(field)} does not exist` };
    if (isList(own.type)) return { field, message: `${invalid} the type of ${place(field)} is a list type` };
    if (!isObject(own.type)) return [];
    return { field, message: `Relationships cannot be defined with nested object fields: "${relationship}"` };
  });
}

function isList(type: TypeNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;
}
