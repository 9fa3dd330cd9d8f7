import { GraphQLError, Kind, parse, visit } from 'graphql';

/** Finds the 1-based line of an SDL that a problem refers to, judging by its text. Undefined if no line is found. */
export type SdlLines = (problem: string) => number | undefined;

/** Looks up the first type, field, argument or enum value of the SDL that a problem names. */
export function sdlLines(sdl: string): SdlLines {
  const defined = new Map<string, number>();
  const mentioned = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, line: number | undefined) => {
    if (line !== undefined && !to.has(name)) to.set(name, line);
  };
  try {
    let type = '';
    let field = '';
    visit(parse(sdl), {
      enter: (node) => {
        const line = node.loc?.startToken.line;
        switch (node.kind) {
          case Kind.FIELD_DEFINITION:
            field = `${type}.${node.name.value}`;
            add(defined, field, node.name.loc?.startToken.line);
            break;
          case Kind.INPUT_VALUE_DEFINITION:
            add(defined, `${field || type}.${node.name.value}`, node.name.loc?.startToken.line);
            break;
          case Kind.ENUM_VALUE_DEFINITION:
            add(defined, `${type}.${node.name.value}`, line);
            break;
          case Kind.NAMED_TYPE:
            add(mentioned, node.name.value, line);
            break;
          case Kind.DIRECTIVE:
            add(mentioned, `@${node.name.value}`, line);
            break;
          default:
            if (!('name' in node) || !node.name || !node.kind.includes('Type')) return;
            type = node.name.value;
            field = '';
            add(defined, type, node.name.loc?.startToken.line);
        }
      },
      leave: (node) => {
        if (node.kind === Kind.FIELD_DEFINITION) field = '';
      },
    });
  } catch (error) {
    const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined;
    return () => line;
  }
  return (problem) => {
    const [, field, argument] = /"([\w.]+)" has no "(\w+)"/.exec(problem) ?? [];
    const names = [`${field}.${argument}`, ...(problem.match(/@?[A-Za-z_]\w*(?:\.\w+)*/g) ?? [])];
    for (const known of [defined, mentioned]) {
      const coordinates = names.flatMap((name) => known.get(name) ?? []);
      if (coordinates.length > 0) return coordinates[0];
    }
    return undefined;
  };
}
