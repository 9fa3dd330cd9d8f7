import { RenameInterfaceFields, RenameObjectFields, RenameTypes, WrapType, wrapSchema } from '@graphql-tools/wrap';
import type { GraphQLSchema } from 'graphql';
import type { RemoteSchemaMetadata } from '../metadata/index.ts';
import type { Subschema } from './source.ts';

type Transforms = NonNullable<Subschema['transforms']>;
type Customization = NonNullable<RemoteSchemaMetadata['definition']['customization']>;
type Renaming = { prefix: string; suffix: string; mapping: Readonly<Record<string, string>> };

/**
 * The renamings of a remote schema's `customization`, for stitching. `parent_type` is the name that the remote gives to
 * the type. A name in `mapping` gets neither prefix nor suffix.
 *
 * @param schema the remote schema as it is.
 */
export function customizationTransforms(customization: Customization | undefined, schema: GraphQLSchema): Transforms {
  if (!customization) return [];
  const { root_fields_namespace: namespace, type_names: types, field_names: fields } = customization;
  const transforms: Transforms = [];
  if (fields.length > 0) {
    const byType = new Map<string, Renaming>(fields.map((item) => [item.parent_type, item]));
    const renamed = (type: string, field: string) => rename(byType.get(type), field);
    transforms.push(
      new RenameObjectFields((type, field) => renamed(type, field)),
      new RenameInterfaceFields((type, field) => renamed(type, field)),
    );
  }
  if (types) transforms.push(new RenameTypes((name) => rename(types, name)));
  if (namespace) {
    if (schema.getQueryType()) transforms.push(new WrapType('Query', `${namespace}_query`, namespace));
    if (schema.getMutationType()) transforms.push(new WrapType('Mutation', `${namespace}_mutation`, namespace));
  }
  return transforms;
}

/** The schema as the graph has it once it is customized. */
export function customizedSchema(schema: GraphQLSchema, transforms: Transforms): GraphQLSchema {
  return transforms.length === 0 ? schema : wrapSchema({ schema, transforms });
}

function rename(renaming: Renaming | undefined, name: string): string {
  if (!renaming) return name;
  const mapped = Object.hasOwn(renaming.mapping, name) ? renaming.mapping[name] : undefined;
  return mapped ?? `${renaming.prefix}${name}${renaming.suffix}`;
}
