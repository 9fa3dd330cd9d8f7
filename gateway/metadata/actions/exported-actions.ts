import { GraphQLError, parseConstValue, parseType } from 'graphql';
import { z } from 'zod';
import { graphqlName, listOf, mapping, problemsOfShape, type ShapeProblem } from '../shapes/index.ts';

const typeShape = z.string().refine(isType, 'expected a GraphQL type such as [Int!]!');
const description = z.string().nullish();
const absent = z.union([z.null(), z.tuple([])], { error: 'inputs of action types have no arguments' }).optional();

/** Portico's own: the reason of `@deprecated`. */
const deprecation_reason = z.string().nullish();
const exportedInput = mapping({
  name: graphqlName,
  type: typeShape,
  description,
  arguments: absent,
  /** Portico's own: the default value, as GraphQL writes it. */
  default_value: z.string().refine(isValue, 'expected a GraphQL value such as "piece" or [1, 2]').nullish(),
  deprecation_reason,
});
const exportedInputs = listOf(exportedInput);
const exportedField = mapping({
  name: graphqlName,
  type: typeShape,
  description,
  /** Portico's own. */
  arguments: exportedInputs,
  deprecation_reason,
});
const exportedFields = listOf(exportedField);
/** Portico's own: the interfaces that an object or interface implements. */
const implementedNames = listOf(graphqlName);
const NO_TYPES = { input_objects: [], interfaces: [], objects: [], enums: [], scalars: [], unions: [] };

/** The part of an export that is in `actions.graphql` in the directory layout. */
const exportShape = z.object({
  actions: listOf(
    z.looseObject({
      name: graphqlName,
      definition: z.looseObject({
        type: z.enum(['query', 'mutation', 'subscription']).nullish(),
        arguments: exportedInputs,
        output_type: typeShape,
      }),
    }),
  ),
  custom_types: mapping({
    input_objects: listOf(
      mapping({ name: graphqlName, description, fields: exportedInputs, one_of: z.boolean().nullish() }),
    ),
    interfaces: listOf(
      mapping({ name: graphqlName, description, fields: exportedFields, implements: implementedNames }),
    ),
    objects: listOf(
      mapping({
        name: graphqlName,
        description,
        fields: exportedFields,
        implements: implementedNames,
        relationships: z.unknown().optional(),
      }),
    ),
    enums: listOf(
      mapping({
        name: graphqlName,
        description,
        values: listOf(
          mapping({ value: graphqlName, description, is_deprecated: z.boolean().nullish(), deprecation_reason }),
        ),
      }),
    ),
    scalars: listOf(
      mapping({
        name: graphqlName,
        description,
        check: z.unknown().optional(),
        specified_by_url: z.string().nullish(),
      }),
    ),
    unions: listOf(mapping({ name: graphqlName, description, types: z.array(graphqlName) })),
  })
    .nullish()
    .transform((types) => types ?? NO_TYPES),
});

type Exported = z.output<typeof exportShape>;

/**
 * Converts the actions of a single-file export, which defines types in JSON, to the directory layout, which defines them in
 * `actions.graphql`.
 *
 * @returns the value of `actions.yaml` and the text of `actions.graphql`, or the problems by their paths in the export.
 */
export function exportedActions(
  content: Readonly<Record<string, unknown>>,
): { value: unknown; sdl: string } | { issues: readonly ShapeProblem[] } {
  const parsed = exportShape.safeParse(content);
  if (!parsed.success) return { issues: problemsOfShape(parsed.error) };
  const { actions, custom_types: types } = parsed.data;
  const named = (
    list: readonly {
      name: string;
      description?: unknown;
      relationships?: unknown;
      one_of?: unknown;
      check?: unknown;
    }[],
  ) =>
    list.map(({ name, description, relationships, one_of, check }) => ({
      name,
      ...(description ? { description } : {}),
      ...(relationships != null && { relationships }),
      ...(one_of != null && { one_of }),
      ...(check != null && { check }),
    }));
  const value = {
    actions: actions.map(({ definition, ...action }) => {
      const { arguments: _arguments, output_type: _output, type: _type, ...rest } = definition;
      return { ...action, definition: rest };
    }),
    custom_types: {
      enums: named(types.enums),
      input_objects: named(types.input_objects),
      interfaces: named(types.interfaces),
      objects: named(types.objects),
      scalars: named(types.scalars),
      unions: named(types.unions),
    },
  };
  return { value, sdl: [...printRootTypes(actions), ...customTypes(types)].join('\n\n') };
}

function printRootTypes(actions: Exported['actions']): readonly string[] {
  const printAction = ({ name, definition }: Exported['actions'][number]) => {
    return `${name}${argumentsSdl(definition.arguments)}: ${definition.output_type}`;
  };
  const ofType = (type: string) => actions.filter(({ definition }) => (definition.type ?? 'mutation') === type);
  return [
    printBlock('type Query', ofType('query').map(printAction)),
    printBlock('type Mutation', ofType('mutation').map(printAction)),
    printBlock('type Subscription', ofType('subscription').map(printAction)),
  ].filter(Boolean);
}

function customTypes(types: Exported['custom_types']): readonly string[] {
  const values = (list: Exported['custom_types']['enums'][number]['values']) =>
    list.map((item) =>
      withDescription(item, item.value + (deprecationSdl(item) || (item.is_deprecated ? ' @deprecated' : ''))),
    );
  const implemented = ({ implements: names }: { implements: readonly string[] }) =>
    names.length > 0 ? ` implements ${names.join(' & ')}` : '';
  return [
    ...types.input_objects.map((type) =>
      withDescription(type, printBlock(`input ${type.name}`, type.fields.map(inputSdl))),
    ),
    ...types.interfaces.map((type) =>
      withDescription(type, printBlock(`interface ${type.name}${implemented(type)}`, type.fields.map(fieldSdl))),
    ),
    ...types.objects.map((type) =>
      withDescription(type, printBlock(`type ${type.name}${implemented(type)}`, type.fields.map(fieldSdl))),
    ),
    ...types.unions.map((type) => withDescription(type, `union ${type.name} = ${type.types.join(' | ')}`)),
    ...types.enums.map((type) => withDescription(type, printBlock(`enum ${type.name}`, values(type.values)))),
    ...types.scalars.map((type) =>
      withDescription(type, `scalar ${type.name}${specifiedBySdl(type.specified_by_url)}`),
    ),
  ];
}

function fieldSdl(item: z.output<typeof exportedField>): string {
  return withDescription(item, `${item.name}${argumentsSdl(item.arguments)}: ${item.type}${deprecationSdl(item)}`);
}

function argumentsSdl(inputs: readonly z.output<typeof exportedInput>[]): string {
  return inputs.length > 0 ? `(${inputs.map(inputSdl).join(' ')})` : '';
}

function inputSdl(item: z.output<typeof exportedInput>): string {
  const preset = item.default_value ? ` = ${item.default_value}` : '';
  return withDescription(item, `${item.name}: ${item.type}${preset}${deprecationSdl(item)}`);
}

function deprecationSdl({ deprecation_reason: reason }: { deprecation_reason?: string | null | undefined }): string {
  return typeof reason === 'string' ? ` @deprecated(reason: ${JSON.stringify(reason)})` : '';
}

function specifiedBySdl(url: string | null | undefined): string {
  return url ? ` @specifiedBy(url: ${JSON.stringify(url)})` : '';
}

function printBlock(head: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${head} {\n  ${lines.join('\n  ')}\n}`;
}

function withDescription({ description }: { description?: string | null | undefined }, text: string): string {
  return description && text ? `${JSON.stringify(description)} ${text}` : text;
}

function isType(text: string): boolean {
  return isSyntax(() => parseType(text, { noLocation: true }));
}

function isValue(text: string): boolean {
  return isSyntax(() => parseConstValue(text, { noLocation: true }));
}

function isSyntax(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
