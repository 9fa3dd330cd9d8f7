import { setImmediate } from 'node:timers/promises';
import { type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';
import { printDefinition } from './print-definition.ts';

/** SDL, one text for each definition, so that a large one can be read while operations go on, and only as far as needed. */
export type SdlDefinitions = readonly string[];

/** Definitions that are parsed without a pause. */
const PARSED_AT_ONCE = 50;

export function printDefinitions({ definitions }: DocumentNode): SdlDefinitions {
  return definitions.map(printDefinition);
}

/** The SDL as one text. */
export function sdlOf(definitions: SdlDefinitions): string {
  return definitions.join('\n\n');
}

/** The definitions, some of them parsed when the first one is come to. */
export function* definitionsIn(definitions: SdlDefinitions): Generator<DefinitionNode> {
  for (let at = 0; at < definitions.length; at += PARSED_AT_ONCE)
    yield* parse(sdlOf(definitions.slice(at, at + PARSED_AT_ONCE)), { noLocation: true }).definitions;
}

/** Parses all of them. Operations go on in between. */
export async function parseDefinitions(definitions: SdlDefinitions): Promise<DocumentNode> {
  const parsed: DefinitionNode[] = [];
  for (const definition of definitionsIn(definitions)) {
    if (parsed.length % PARSED_AT_ONCE === 0) await setImmediate();
    parsed.push(definition);
  }
  return { kind: Kind.DOCUMENT, definitions: parsed };
}
