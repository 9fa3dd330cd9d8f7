import type { MetadataProblem } from '../yaml/index.ts';
import { type SessionVariableUse, sessionVariableSlips, unknownSessionVariables } from './value-warnings.ts';

/** What loading the metadata has found. */
export interface WarnedMetadata {
  readonly warnings: readonly MetadataProblem[];
  readonly sessionVariables: readonly SessionVariableUse[];
}

/**
 * Warnings about metadata that is valid and probably not intended.
 *
 * @param knownVariables the session variables that callers may have; undefined where that is not known.
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
