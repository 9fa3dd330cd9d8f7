import { type DocumentNode, type GraphQLError, type GraphQLSchema, type ValidationRule, validate } from 'graphql';
import { type CacheBounds, SecondChanceCache } from '../../platform/index.ts';

/** The gateway and the saved operations send the same few dozen texts. */
const KNOWN_DOCUMENTS: CacheBounds = { entries: 200, weights: [] };
/** Longer texts are not cached. In UTF-16 code units. */
const MAX_TEXT_LENGTH = 4_096;

export interface KnownDocuments {
  /** @throws GraphQLError like the parser. */
  parse(text: string): DocumentNode;
  validate(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): readonly GraphQLError[];
}

/**
 * Caches recent documents that were parsed and validated, for one schema and one set of rules. Invalid documents are validated
 * again each time.
 */
export function createKnownDocuments(parseText: (text: string) => DocumentNode): KnownDocuments {
  const valid = new SecondChanceCache<DocumentNode>(KNOWN_DOCUMENTS);
  const known = new WeakSet<DocumentNode>();
  const texts = new WeakMap<DocumentNode, string>();

  return {
    parse(text) {
      const document = valid.get(text);
      if (document) return document;
      const parsed = parseText(text);
      if (mayBeKept(text)) texts.set(parsed, text);
      return parsed;
    },
    validate(schema, document, rules) {
      if (known.has(document)) return [];
      const errors = validate(schema, document, rules);
      const text = texts.get(document);
      if (errors.length > 0 || text === undefined) return errors;
      known.add(document);
      valid.keep(text, document);
      return errors;
    },
  };
}

/** A string in the text may be a password, which must not stay in memory. */
function mayBeKept(text: string): boolean {
  return text.length <= MAX_TEXT_LENGTH && !text.includes('"');
}
