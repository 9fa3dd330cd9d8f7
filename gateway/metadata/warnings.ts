import type { Metadata } from './load.ts';
import { sessionVariableSlips, unknownSessionVariables } from './value-warnings.ts';
import type { MetadataProblem } from './yaml/index.ts';

/**
 * Warnings about metadata that is valid and probably not intended.
 *
 * @param knownVariables the session variables that callers may have; undefined where that is not known.
 */
export function metadataWarnings(
  { warnings, sessionVariables }: Metadata,
  knownVariables?: ReadonlySet<string>,
): readonly MetadataProblem[] {
  const ofVariables = knownVariables
    ? unknownSessionVariables(sessionVariables, knownVariables)
    : sessionVariableSlips(sessionVariables);
  return [...warnings, ...ofVariables];
}
