import { parse } from 'graphql';
import { suggestion } from '../../platform/index.ts';
import { hasFields } from '../graphql/syntax/index.ts';
import type { RemoteSchemaMetadata } from './remote-schemas.ts';
import type { MetadataLocation, MetadataProblem, ValuePath } from './yaml/index.ts';

/** Reports conditions of fields that the SDL of their permission does not have. */
export function unknownConditionFields(
  remoteSchemas: readonly RemoteSchemaMetadata[],
  place: (path: ValuePath) => MetadataLocation,
): readonly MetadataProblem[] {
  return remoteSchemas.flatMap(({ permissions = [] }, index) =>
    permissions.flatMap(({ definition, session_conditions: written = [] }, at) => {
      const permitted = written.length > 0 ? permittedFields(definition.schema) : undefined;
      if (!permitted) return [];
      return written.flatMap(({ fields }, position) =>
        fields.flatMap((coordinate, item) => {
          const message = unknownField(coordinate, permitted);
          if (message === undefined) return [];
          const path = [index, 'permissions', at, 'session_conditions', position, 'fields', item];
          return [{ ...place(path), message: `the permission has no ${message}` }];
        }),
      );
    }),
  );
}

/** The fields of each object type and interface. Undefined if the SDL is invalid, which is reported elsewhere. */
function permittedFields(sdl: string): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const fields = new Map<string, Set<string>>();
  try {
    for (const definition of parse(sdl, { noLocation: true }).definitions) {
      if (!hasFields(definition)) continue;
      const known = fields.get(definition.name.value) ?? new Set();
      for (const field of definition.fields ?? []) known.add(field.name.value);
      fields.set(definition.name.value, known);
    }
  } catch {
    return undefined;
  }
  return fields;
}

function unknownField(coordinate: string, permitted: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
  const [type = '', field = ''] = coordinate.split('.');
  const fields = permitted.get(type);
  if (!fields) return `type "${type}"${suggestion(type, [...permitted.keys()])}`;
  return fields.has(field) ? undefined : `field "${field}" in "${type}"${suggestion(field, [...fields])}`;
}
