import type { Metadata } from './load.ts';
import type { MetadataProblem } from './problem.ts';
import { sessionVariableSlips, unknownSessionVariables } from './value-warnings.ts';

/**
 * What of metadata works and is hardly meant.
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
