import { setImmediate } from 'node:timers/promises';
import { type DefinitionNode, type DocumentNode, Kind, parse, print } from 'graphql';

/** SDL in pieces of some definitions each, so that a large one can be read while operations go on. */
export type Pieces = readonly string[];

const DEFINITIONS_IN_ONE = 50;

export function piecesOf({ definitions }: DocumentNode): Pieces {
  const pieces: string[] = [];
  for (let at = 0; at < definitions.length; at += DEFINITIONS_IN_ONE)
    pieces.push(print({ kind: Kind.DOCUMENT, definitions: definitions.slice(at, at + DEFINITIONS_IN_ONE) }));
  return pieces;
}

/** The SDL as one text. */
export function sdlOf(pieces: Pieces): string {
  return pieces.join('\n\n');
}

/** Parses one piece after another. Operations go on in between. */
export async function parsePieces(pieces: Pieces): Promise<DocumentNode> {
  const definitions: DefinitionNode[] = [];
  for (const piece of pieces) {
    definitions.push(...parse(piece, { noLocation: true }).definitions);
    await setImmediate();
  }
  return { kind: Kind.DOCUMENT, definitions };
}
