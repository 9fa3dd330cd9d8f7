import { setImmediate } from 'node:timers/promises';
import { type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';
import { printDefinition } from './print-definition.ts';

/** SDL, one text for each definition, so that a large one can be read in slices between requests, and only as far as needed. */
export type SdlDefinitions = readonly string[];

/** The definitions of a batch. */
const BATCH = 50;

export function printDefinitions({ definitions }: DocumentNode): SdlDefinitions {
  return definitions.map(printDefinition);
}

/** The SDL as one text. */
export function sdlOf(definitions: SdlDefinitions): string {
  return definitions.join('\n\n');
}

/** The definitions, parsed in batches when the first one of a batch is read. */
export function* definitionsIn(definitions: SdlDefinitions): Generator<DefinitionNode> {
  for (let at = 0; at < definitions.length; at += BATCH)
    yield* parse(sdlOf(definitions.slice(at, at + BATCH)), { noLocation: true }).definitions;
}

/** Parses all of them, and yields in between. */
export async function parseDefinitions(definitions: SdlDefinitions): Promise<DocumentNode> {
  const parsed: DefinitionNode[] = [];
  for (const definition of definitionsIn(definitions)) {
    if (parsed.length % BATCH === 0) await setImmediate();
    parsed.push(definition);
  }
  return { kind: Kind.DOCUMENT, definitions: parsed };
}
