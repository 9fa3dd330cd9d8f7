import { type DefinitionNode, Lexer, parse, Source, TokenKind } from 'graphql';

/**
 * A type definition without what stands in its braces, which most of its text is: with its interfaces, its directives and,
 * of a union, its members. Definitions of the schema and of directives are parsed as a whole.
 *
 * @param sdl of one definition.
 */
export function parseHeader(sdl: string): DefinitionNode | undefined {
  return parseDefinition(sdl.slice(0, headerLength(sdl)));
}

/** Without locations, which would keep the text and the tokens that it was read from. */
export function parseDefinition(sdl: string): DefinitionNode | undefined {
  return parse(sdl, { noLocation: true }).definitions[0];
}

/** The SDL of each definition of a document. */
export function splitDefinitions(sdl: string): readonly string[] {
  return parse(sdl).definitions.map(({ loc }) => sdl.slice(loc?.start, loc?.end));
}

/** Braces within brackets are values of arguments. */
function headerLength(sdl: string): number {
  const lexer = new Lexer(new Source(sdl));
  let keyword: string | undefined;
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (token.kind === TokenKind.NAME) keyword ??= token.value;
    if (keyword === 'schema' || keyword === 'directive') break;
    if (token.kind === TokenKind.PAREN_L) depth += 1;
    if (token.kind === TokenKind.PAREN_R) depth -= 1;
    if (token.kind === TokenKind.BRACE_L && depth === 0) return token.start;
  }
  return sdl.length;
}
