import { isSpanId, isTraceId, type SpanContext } from './trace-context.ts';

/** A trace id of B3: 128 bits, or 64 bits, which are padded with zeros on the left. */
const B3_TRACE_ID = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/;
const MAX_B3 = 128;

/**
 * Parses the single header `b3`: `{trace id}-{span id}`, optionally with `-{sampling state}` and `-{parent span id}`
 * (openzipkin/b3-propagation). A sampling state alone names no trace.
 */
export function parseB3(text: string): SpanContext | undefined {
  if (text.length > MAX_B3) return undefined;
  const [traceId, spanId, sampled, parentId, ...others] = text.split('-');
  if (others.length > 0 || (parentId !== undefined && !isSpanId(parentId))) return undefined;
  return contextOf(traceId, spanId, sampled);
}

/** Parses the headers `x-b3-*`. */
export function parseB3Headers(
  traceId: string | undefined,
  spanId: string | undefined,
  sampled: string | undefined,
  flags: string | undefined,
): SpanContext | undefined {
  return contextOf(traceId, spanId, flags === '1' ? 'd' : sampled);
}

/** `1` and `true`: sampled. `d`: sampled for debugging. Without a state, the receiver decides, as with 0 here. */
const SAMPLED_VALUES = new Set(['1', 'true', 'd']);
const SAMPLING_STATES = new Set([...SAMPLED_VALUES, '0', 'false', undefined]);

function contextOf(traceId = '', spanId = '', sampled: string | undefined): SpanContext | undefined {
  const id = traceId.toLowerCase();
  const span = spanId.toLowerCase();
  if (!B3_TRACE_ID.test(id) || !isSpanId(span) || !SAMPLING_STATES.has(sampled)) return undefined;
  const full = id.padStart(32, '0');
  if (!isTraceId(full)) return undefined;
  return { traceId: full, spanId: span, isSampled: SAMPLED_VALUES.has(sampled ?? ''), traceState: '' };
}

export function formatB3({ traceId, spanId, isSampled }: Omit<SpanContext, 'traceState'>): string {
  return `${traceId}-${spanId}-${isSampled ? '1' : '0'}`;
}
