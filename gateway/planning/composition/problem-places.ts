import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';

/** A line of a subgraph's SDL. */
export interface SdlPlace {
  readonly subgraph: string;
  /** 1-based. */
  readonly line: number;
}

/** The subgraphs that a message names, either in quotation marks or in leading brackets. */
export function subgraphsIn(message: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => message.includes(`"${name}"`) || message.startsWith(`[${name}] `));
}

/** The places of the first type or field that a message names, in the given subgraphs or in all if none are given. */
export function placesOf(
  message: string,
  subgraphs: readonly string[],
  documents: ReadonlyMap<string, DocumentNode>,
): readonly SdlPlace[] {
  const coordinates = [...message.matchAll(/"([A-Za-z_]\w*)(?:\.(\w+))?[^"]*"/g)].map(([, type = '', field]) => ({
    type,
    field,
  }));
  for (const { type, field } of coordinates) {
    const places = [...documents]
      .filter(([name]) => subgraphs.length === 0 || subgraphs.includes(name))
      .flatMap(([subgraph, document]) => {
        const line = lineOfDefinition(document, type, field);
        return line === undefined ? [] : [{ subgraph, line }];
      });
    if (places.length > 0) return places;
  }
  return [];
}

function lineOfDefinition(document: DocumentNode, type: string, field: string | undefined): number | undefined {
  const definitions = document.definitions.filter((one) => isTypeLike(one) && one.name?.value === type);
  if (field === undefined) return definitions[0]?.loc?.startToken.line;
  for (const definition of definitions)
    for (const member of memberNodes(definition))
      if (member.name.value === field) return member.name.loc?.startToken.line;
  return undefined;
}

function isTypeLike(definition: DefinitionNode): definition is DefinitionNode & { name?: { value: string } } {
  return definition.kind !== Kind.DIRECTIVE_DEFINITION && definition.kind !== Kind.OPERATION_DEFINITION;
}

function memberNodes(definition: DefinitionNode) {
  if ('fields' in definition) return definition.fields ?? [];
  return 'values' in definition ? (definition.values ?? []) : [];
}
