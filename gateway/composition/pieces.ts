import { setImmediate } from 'node:timers/promises';
import { type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';
import { printDefinition } from './print-definition.ts';

/** SDL in pieces of some definitions each, so that a large one can be read in slices between requests. */
export type Pieces = readonly string[];

const DEFINITIONS_IN_ONE = 50;

export function piecesOf({ definitions }: DocumentNode): Pieces {
  const pieces: string[] = [];
  for (let at = 0; at < definitions.length; at += DEFINITIONS_IN_ONE)
    pieces.push(sdlOf(definitions.slice(at, at + DEFINITIONS_IN_ONE).map(printDefinition)));
  return pieces;
}

/** The SDL as one text. */
export function sdlOf(pieces: Pieces): string {
  return pieces.join('\n\n');
}

/** The definitions; each piece is parsed when its first one is read. */
export function* definitionsIn(pieces: Pieces): Generator<DefinitionNode> {
  for (const piece of pieces) yield* parse(piece, { noLocation: true }).definitions;
}

/** Parses one piece after another, and yields in between. */
export async function parsePieces(pieces: Pieces): Promise<DocumentNode> {
  const definitions: DefinitionNode[] = [];
  for (const piece of pieces) {
    definitions.push(...parse(piece, { noLocation: true }).definitions);
    await setImmediate();
  }
  return { kind: Kind.DOCUMENT, definitions };
}
