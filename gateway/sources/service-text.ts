import { boundedText, boundedTexts } from '../../platform/index.ts';

/*
 * Bounds texts that services send. These texts go into error messages, log lines and lists for operators. The gateway
 * bounds a text where it enters. Otherwise a service could fill the memory, the logs and every list.
 */

/** The maximum number of characters of a service's message. */
const MAX_MESSAGE = 1_000;
/**
 * The maximum number of messages joined into one text, and of characters per message. 4,000 characters remain readable.
 */
const MAX_JOINED = 20;
const MAX_JOINED_MESSAGE = 200;
/** The maximum number of problems of one source. */
const MAX_PROBLEMS = 500;

/** Bounds a message of a service or a message that quotes a service. */
export function serviceMessage(message: string): string {
  return boundedText(message, MAX_MESSAGE);
}

/** Joins several reasons into one text. */
export function joinedReasons(reasons: readonly string[]): string {
  if (reasons.length === 1) return serviceMessage(reasons[0] ?? '');
  const length = reasons.reduce((sum, reason) => sum + reason.length, 0);
  if (length <= MAX_JOINED * MAX_JOINED_MESSAGE) return reasons.join('; ');
  return boundedTexts(reasons, MAX_JOINED, MAX_JOINED_MESSAGE).join('; ');
}

/** Bounds the problems of a source. The last problem then says how many were left out. */
export function boundedProblems<Problem extends { readonly message: string }>(
  problems: readonly Problem[],
): readonly (Problem | { readonly message: string })[] {
  const kept = problems
    .slice(0, MAX_PROBLEMS)
    .map((problem) => ({ ...problem, message: serviceMessage(problem.message) }));
  const omitted = problems.length - kept.length;
  return omitted > 0 ? [...kept, { message: `… (${omitted} further problems)` }] : kept;
}
