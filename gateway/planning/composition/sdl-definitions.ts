import { setImmediate } from 'node:timers/promises';
import { type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';
import { printDefinition } from './print-definition.ts';

/**
 * SDL with one text for each definition. Large SDL can be read in slices between requests, and only the definitions
 * that are needed.
 */
export type SdlDefinitions = readonly string[];

/** The number of definitions in a batch. */
const BATCH = 50;

export function printDefinitions({ definitions }: DocumentNode): SdlDefinitions {
  return definitions.map(printDefinition);
}

/** Joins the SDL into one text. */
export function sdlOf(definitions: SdlDefinitions): string {
  return definitions.join('\n\n');
}

/** Parses definitions in batches. A batch is parsed when its first definition is read. */
export function* definitionsIn(definitions: SdlDefinitions): Generator<DefinitionNode> {
  for (let at = 0; at < definitions.length; at += BATCH)
    yield* parse(sdlOf(definitions.slice(at, at + BATCH)), { noLocation: true }).definitions;
}

/** Parses all definitions and yields between batches. */
export async function parseDefinitions(definitions: SdlDefinitions): Promise<DocumentNode> {
  const parsed: DefinitionNode[] = [];
  for (const definition of definitionsIn(definitions)) {
    if (parsed.length % BATCH === 0) await setImmediate();
    parsed.push(definition);
  }
  return { kind: Kind.DOCUMENT, definitions: parsed };
}
