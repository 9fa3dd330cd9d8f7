import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';
import type { ActionsMetadata, ActionTypes } from './actions/index.ts';
import type { IgnoredMetadata } from './unsupported.ts';
import type { MetadataLocation, ValuePath } from './yaml/index.ts';

const COUNTS = 'actions.graphql says it';

/**
 * Returns the types in `actions.yaml` that differ from `actions.graphql`. The latter takes precedence: Hasura's CLI overwrites
 * the former with it.
 */
export function ignoredTypes(
  { actions, custom_types }: ActionsMetadata,
  { document, queries }: ActionTypes,
  place: (path: ValuePath) => MetadataLocation,
): readonly IgnoredMetadata[] {
  const ignored = (path: ValuePath, what: string): IgnoredMetadata => ({ ...place(path), what: `${what}: ${COUNTS}` });
  return [
    ...actions.flatMap(({ name, definition }, index) => {
      const at = (key: string): ValuePath => ['actions', index, 'definition', key];
      const isQuery = queries.has(name);
      return [
        ...(definition.type && (definition.type === 'query') !== isQuery
          ? [ignored(at('type'), `the action is a ${isQuery ? 'query' : 'mutation'}`)]
          : []),
        ...(definition.arguments?.length ? [ignored(at('arguments'), 'the arguments')] : []),
        ...(definition.output_type ? [ignored(at('output_type'), 'the type of the output')] : []),
      ];
    }),
    ...(['enums', 'input_objects', 'interfaces', 'objects', 'scalars'] as const).flatMap((kind) =>
      custom_types[kind].flatMap((type, index) =>
        type.fields?.length ? [ignored(['custom_types', kind, index, 'fields'], 'the fields')] : [],
      ),
    ),
    ...custom_types.unions.flatMap(({ types }, index) =>
      types?.length ? [ignored(['custom_types', 'unions', index, 'types'], 'the types')] : [],
    ),
    ...custom_types.enums.flatMap(({ name, values }, index) =>
      values === null || values === undefined || saysTheSame(values, enumValues(document, name))
        ? []
        : [ignored(['custom_types', 'enums', index, 'values'], 'other values than the enum has')],
    ),
  ];
}

interface EnumValue {
  readonly value: string;
  readonly is_deprecated?: boolean | null | undefined;
}

function saysTheSame(written: readonly EnumValue[], defined: readonly EnumValue[]): boolean {
  const known = new Map(defined.map(({ value, is_deprecated }) => [value, is_deprecated]));
  return (
    written.length === defined.length &&
    written.every(({ value, is_deprecated }) => known.has(value) && known.get(value) === (is_deprecated ?? false))
  );
}

function enumValues({ definitions }: DocumentNode, name: string): readonly EnumValue[] {
  const isMeant = (one: DefinitionNode) => one.kind === Kind.ENUM_TYPE_DEFINITION && one.name.value === name;
  const found = definitions.find(isMeant);
  if (found?.kind !== Kind.ENUM_TYPE_DEFINITION) return [];
  return (found.values ?? []).map((item) => ({
    value: item.name.value,
    is_deprecated: item.directives?.some((directive) => directive.name.value === 'deprecated') ?? false,
  }));
}
