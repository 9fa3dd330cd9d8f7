import type { ScalarTag } from 'yaml';

/** The prefix of a value that includes another file. */
export const INCLUDE = '!include ';

/** Hasura writes `"!include other.yaml"` as a text, but YAML also allows it as a tag. Both are read as the text. */
export const includeTag: ScalarTag = { tag: '!include', resolve: (file) => INCLUDE + file };
