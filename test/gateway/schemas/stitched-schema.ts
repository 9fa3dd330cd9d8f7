import { stitchSchemas, ValidationLevel } from '@graphql-tools/stitch';
import { buildSchema, type GraphQLSchema, introspectionFromSchema } from 'graphql';
import type { JoinedPart } from '../../../gateway/graphql/schemas/index.ts';

/** A definition in one of the parts, as the library passes it to what decides between several. */
interface Candidate {
  readonly type: { readonly name: string; readonly description?: string | null | undefined };
  readonly subschema?: unknown;
}
interface NamedCandidate extends Candidate {
  readonly fieldName: string;
}

/** What `joinSchemas` has to make of some parts, made by `@graphql-tools/stitch` with the same rules. */
export function stitchedSchema(parts: readonly JoinedPart[]): GraphQLSchema {
  const subschemas = parts.map(({ schema }) => ({ schema }));
  const indexes = new Map<unknown, number>(subschemas.map((one, index) => [one, index]));
  const isCanonical = ({ type, subschema }: Candidate, field?: string): boolean =>
    parts[indexes.get(subschema) ?? -1]?.isCanonical?.(type.name, field) ?? false;
  const lastOf = <One>(all: readonly One[]): One => {
    const last = all.at(-1);
    if (last === undefined) throw new TypeError('no candidate');
    return last;
  };
  const ofType = <One extends Candidate>(all: readonly One[]): One =>
    all.findLast((one) => isCanonical(one)) ?? lastOf(all);
  const ofField = <One extends NamedCandidate>(all: readonly One[]): One =>
    all.findLast((one) => isCanonical(one) || isCanonical(one, one.fieldName)) ?? lastOf(all);
  return stitchSchemas({
    subschemas,
    mergeTypes: true,
    mergeDirectives: false,
    assumeValid: true,
    typeMergingOptions: {
      // Otherwise the fields of the canonical definition come last.
      typeCandidateMerger: lastOf,
      typeDescriptionsMerger: (all) => ofType(all).type.description ?? undefined,
      fieldConfigMerger: (all) => ofField(all).fieldConfig,
      inputFieldConfigMerger: (all) => ofField(all).inputFieldConfig,
      enumValueConfigMerger: (all) => ofType(all).enumValueConfig,
      validationSettings: { validationLevel: ValidationLevel.Off },
    },
  });
}

/** All that clients see of a schema, its types in the order of their names. */
export function introspected(schema: GraphQLSchema): unknown {
  const { __schema } = introspectionFromSchema(schema, {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  return { ...__schema, types: [...__schema.types].sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

/** Parts by their SDL. @param canonical names of types and of fields, such as `Part` and `Part.id`, with the number of the part. */
export function partsOf(
  sdls: readonly string[],
  canonical: Readonly<Record<string, number>> = {},
): readonly JoinedPart[] {
  return sdls.map((sdl, index) => ({
    schema: buildSchema(sdl),
    isCanonical: (type, field) => canonical[field === undefined ? type : `${type}.${field}`] === index,
  }));
}
