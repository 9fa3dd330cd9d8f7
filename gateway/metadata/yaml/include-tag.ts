import type { ScalarTag } from 'yaml';

/** Begins a value that is the content of another file. */
export const INCLUDE = '!include ';

/** Hasura writes `"!include other.yaml"` as a text; YAML would have it as a tag. Both are read as the text. */
export const includeTag: ScalarTag = { tag: '!include', resolve: (file) => INCLUDE + file };
