import type { Fault, Span } from '../fault.ts';
import { describeFailure, type LoadAttempt } from '../load/index.ts';

/** The result of one fault. */
export interface FaultVerdict {
  readonly fault: string;
  readonly promise: string;
  readonly requests: number;
  readonly failed: number;
  /** How often each kind of failure came, the most frequent first. */
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  /** From when the cause was gone to the last request that failed; undefined when none failed after it. */
  readonly healedAfterMs: number | undefined;
  /** Whether the fault was seen to take effect. If not, nothing is known about the promise, which counts as broken. */
  readonly hadEffect: boolean;
  /** What was not as promised. None: the promise held. */
  readonly problems: readonly string[];
  /** Why it was not tried. */
  readonly skipped?: string;
}

const MAX_PROBLEMS = 6;

/**
 * Holds what happened against what was promised.
 *
 * @param wasEffectSeen whether the fault itself noted that it took effect; else a failed request has to show it.
 */
export function judgeFault(
  fault: Fault,
  attempts: readonly LoadAttempt[],
  span: Span,
  others: readonly string[],
  wasEffectSeen: boolean,
): FaultVerdict {
  const failed = attempts.filter(({ failure }) => failure !== undefined);
  const counts = new Map<string, number>();
  const forbidden = new Map<string, { count: number; firstAtMs: number }>();
  for (const attempt of failed) {
    const kind = `${attempt.kind}: ${attempt.failure ? describeFailure(attempt.failure) : ''}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (fault.allows?.(attempt, span)) continue;
    const seen = forbidden.get(kind) ?? { count: 0, firstAtMs: attempt.sentAt - span.beganAt };
    forbidden.set(kind, { count: seen.count + 1, firstAtMs: Math.min(seen.firstAtMs, attempt.sentAt - span.beganAt) });
  }
  const failures = [...forbidden].map(
    ([kind, { count, firstAtMs }]) =>
      `${kind}, ${count} times, first sent ${(firstAtMs / 1000).toFixed(1)} s after the beginning`,
  );
  const late = failed.filter(({ sentAt }) => sentAt > span.goneAt);
  const healedAfterMs = late.length === 0 ? undefined : Math.max(...late.map(({ sentAt }) => sentAt)) - span.goneAt;
  const limit = (fault.healsWithinSeconds ?? 0) * 1000;
  const healing =
    healedAfterMs !== undefined && healedAfterMs > limit
      ? [`requests still failed ${(healedAfterMs / 1000).toFixed(1)} s after the cause was gone`]
      : [];
  const hadEffect =
    wasEffectSeen || failed.some((attempt) => attempt.endedAt >= span.beganAt && fault.isEffect?.(attempt, span));
  const noEffect = hadEffect ? [] : ['the fault was not seen to take effect'];
  const none = attempts.length === 0 ? ['no request was sent'] : [];
  return {
    fault: fault.name,
    promise: fault.promise,
    requests: attempts.length,
    failed: failed.length,
    kinds: [...counts].sort(([, left], [, right]) => right - left),
    healedAfterMs,
    hadEffect,
    problems: [...none, ...noEffect, ...others, ...healing, ...failures].slice(0, MAX_PROBLEMS),
  };
}

/** A fault that cannot be tried here. */
export function skipped({ name, promise }: Fault, why: string): FaultVerdict {
  return {
    fault: name,
    promise,
    requests: 0,
    failed: 0,
    kinds: [],
    healedAfterMs: undefined,
    hadEffect: false,
    problems: [],
    skipped: why,
  };
}
