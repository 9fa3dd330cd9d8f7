interface ExportedField {
  name: string;
  type: string;
  description?: string | null;
}

/**
 * Actions as the single-file export has them: their types are written out in JSON. The directory layout has them in
 * `actions.graphql`, so that is what they are turned into here.
 *
 * @returns the value of `actions.yaml` and the text of `actions.graphql` that say the same.
 */
export function exportedActions(content: Readonly<Record<string, unknown>>): { value: unknown; sdl: string } {
  const actions = listOf(content.actions);
  const types = (content.custom_types ?? {}) as Record<string, unknown>;
  const named = (kind: string) =>
    listOf(types[kind]).map(({ name, description, relationships }) => ({
      name,
      ...(description != null && { description }),
      ...(relationships != null && { relationships }),
    }));
  const value = {
    actions: actions.map(({ definition, ...action }) => {
      const { arguments: _arguments, output_type, type, ...rest } = (definition ?? {}) as Record<string, unknown>;
      return { ...action, definition: rest };
    }),
    custom_types: {
      enums: named('enums'),
      input_objects: named('input_objects'),
      objects: named('objects'),
      scalars: named('scalars'),
    },
  };
  return { value, sdl: [...rootTypes(actions), ...customTypes(types)].join('\n\n') };
}

function rootTypes(actions: readonly Record<string, unknown>[]): readonly string[] {
  const field = (action: Record<string, unknown>) => {
    const definition = (action.definition ?? {}) as { arguments?: unknown; output_type?: unknown };
    const inputs = (listOf(definition.arguments) as unknown as ExportedField[]).map(fieldText);
    return `${String(action.name)}${inputs.length > 0 ? `(${inputs.join(' ')})` : ''}: ${String(definition.output_type)}`;
  };
  const typeOf = (action: Record<string, unknown>) => (action.definition as { type?: unknown } | undefined)?.type;
  return [
    block('type Query', actions.filter((action) => typeOf(action) === 'query').map(field)),
    block('type Mutation', actions.filter((action) => typeOf(action) !== 'query').map(field)),
  ].filter(Boolean);
}

function customTypes(types: Readonly<Record<string, unknown>>): readonly string[] {
  const fields = (type: Record<string, unknown>) => (listOf(type.fields) as unknown as ExportedField[]).map(fieldText);
  return [
    ...listOf(types.input_objects).map((type) => described(type, block(`input ${String(type.name)}`, fields(type)))),
    ...listOf(types.objects).map((type) => described(type, block(`type ${String(type.name)}`, fields(type)))),
    ...listOf(types.enums).map((type) =>
      described(
        type,
        block(
          `enum ${String(type.name)}`,
          listOf(type.values).map((item) => described(item, String(item.value))),
        ),
      ),
    ),
    ...listOf(types.scalars).map((type) => described(type, `scalar ${String(type.name)}`)),
  ];
}

function fieldText(field: ExportedField): string {
  return described({ description: field.description }, `${field.name}: ${field.type}`);
}

function block(head: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${head} {\n  ${lines.join('\n  ')}\n}`;
}

function described({ description }: { description?: unknown }, text: string): string {
  return typeof description === 'string' && description !== '' ? `${JSON.stringify(description)} ${text}` : text;
}

function listOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
