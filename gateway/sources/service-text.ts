import { boundedText, boundedTexts } from '../../platform/index.ts';

/*
 * What services say goes into error messages, log lines and lists of operators. It is bounded here, where it enters, and not where it
 * is shown: otherwise a service could fill the memory, the logs and each list.
 */

/** Characters of one message of a service. */
const MAX_MESSAGE = 1_000;
/** Messages that are joined into one text, and characters of each: 4,000 are a line that a person can read. */
const MAX_JOINED = 20;
const MAX_JOINED_MESSAGE = 200;
/** Problems of one source. */
const MAX_PROBLEMS = 500;

/** A message of a service, or one that quotes what a service sent. */
export function serviceMessage(message: string): string {
  return boundedText(message, MAX_MESSAGE);
}

/** Several reasons as one text. */
export function joinedReasons(reasons: readonly string[]): string {
  if (reasons.length === 1) return serviceMessage(reasons[0] ?? '');
  const length = reasons.reduce((sum, reason) => sum + reason.length, 0);
  if (length <= MAX_JOINED * MAX_JOINED_MESSAGE) return reasons.join('; ');
  return boundedTexts(reasons, MAX_JOINED, MAX_JOINED_MESSAGE).join('; ');
}

/** Problems of a source; the last one says how many were left out. */
export function boundedProblems<Problem extends { readonly message: string }>(
  problems: readonly Problem[],
): readonly (Problem | { readonly message: string })[] {
  const kept = problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, message: serviceMessage(problem.message) }));
  const omitted = problems.length - kept.length;
  return omitted > 0 ? [...kept, { message: `… (${omitted} further problems)` }] : kept;
}
