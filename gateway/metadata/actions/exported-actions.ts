import { GraphQLError, parseType } from 'graphql';
import { z } from 'zod';
import { graphqlName, listOf, mapping, problemsOfShape, type ShapeProblem } from '../shapes/index.ts';

const typeShape = z.string().refine(isType, 'expected a GraphQL type such as [Int!]!');
const description = z.string().nullish();
const absent = z.union([z.null(), z.tuple([])], { error: 'fields of action types have no arguments' }).optional();

const exportedField = mapping({ name: graphqlName, type: typeShape, description, arguments: absent });
const exportedFields = listOf(exportedField);

/** The part of an export that is in `actions.graphql` in the directory layout. */
const exportShape = z.object({
  actions: listOf(
    z.looseObject({
      name: graphqlName,
      definition: z.looseObject({
        type: z.enum(['query', 'mutation', 'subscription']).nullish(),
        arguments: exportedFields,
        output_type: typeShape,
      }),
    }),
  ),
  custom_types: mapping({
    input_objects: listOf(mapping({ name: graphqlName, description, fields: exportedFields })),
    objects: listOf(
      mapping({ name: graphqlName, description, fields: exportedFields, relationships: z.unknown().optional() }),
    ),
    enums: listOf(
      mapping({
        name: graphqlName,
        description,
        values: listOf(mapping({ value: graphqlName, description, is_deprecated: z.boolean().nullish() })),
      }),
    ),
    scalars: listOf(mapping({ name: graphqlName, description })),
  })
    .nullish()
    .transform((types) => types ?? { input_objects: [], objects: [], enums: [], scalars: [] }),
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
  const named = (list: readonly { name: string; description?: unknown; relationships?: unknown }[]) =>
    list.map(({ name, description, relationships }) => ({
      name,
      ...(description ? { description } : {}),
      ...(relationships != null && { relationships }),
    }));
  const value = {
    actions: actions.map(({ definition, ...action }) => {
      const { arguments: _arguments, output_type: _output, type: _type, ...rest } = definition;
      return { ...action, definition: rest };
    }),
    custom_types: {
      enums: named(types.enums),
      input_objects: named(types.input_objects),
      objects: named(types.objects),
      scalars: named(types.scalars),
    },
  };
  return { value, sdl: [...printRootTypes(actions), ...customTypes(types)].join('\n\n') };
}

function printRootTypes(actions: Exported['actions']): readonly string[] {
  const printAction = ({ name, definition }: Exported['actions'][number]) => {
    const inputs = definition.arguments.map(fieldSdl);
    return `${name}${inputs.length > 0 ? `(${inputs.join(' ')})` : ''}: ${definition.output_type}`;
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
    list.map((item) => withDescription(item, item.is_deprecated ? `${item.value} @deprecated` : item.value));
  return [
    ...types.input_objects.map((type) =>
      withDescription(type, printBlock(`input ${type.name}`, type.fields.map(fieldSdl))),
    ),
    ...types.objects.map((type) => withDescription(type, printBlock(`type ${type.name}`, type.fields.map(fieldSdl)))),
    ...types.enums.map((type) => withDescription(type, printBlock(`enum ${type.name}`, values(type.values)))),
    ...types.scalars.map((type) => withDescription(type, `scalar ${type.name}`)),
  ];
}

function fieldSdl(item: z.output<typeof exportedField>): string {
  return withDescription(item, `${item.name}: ${item.type}`);
}

function printBlock(head: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${head} {\n  ${lines.join('\n  ')}\n}`;
}

function withDescription({ description }: { description?: string | null | undefined }, text: string): string {
  return description && text ? `${JSON.stringify(description)} ${text}` : text;
}

function isType(text: string): boolean {
  try {
    parseType(text, { noLocation: true });
    return true;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
