import type { MetadataProblem } from '../yaml/index.ts';
import { type SessionVariableUse, sessionVariableSlips, unknownSessionVariables } from './value-warnings.ts';

/** The results of loading metadata that warnings are based on. */
export interface WarnedMetadata {
  readonly warnings: readonly MetadataProblem[];
  readonly sessionVariables: readonly SessionVariableUse[];
}

/**
 * Returns warnings about metadata that is valid but probably not intended.
 *
 * @param knownVariables the session variables that callers may have. Undefined if unknown.
 */
export function metadataWarnings(
  { warnings, sessionVariables }: WarnedMetadata,
  knownVariables?: ReadonlySet<string>,
): readonly MetadataProblem[] {
  const ofVariables = knownVariables
    ? unknownSessionVariables(sessionVariables, knownVariables)
    : sessionVariableSlips(sessionVariables);
  return [...warnings, ...ofVariables];
}
