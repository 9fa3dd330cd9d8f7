/**
 * The identity of a span as in W3C Trace Context level 1. A process receives it from its caller and passes it to the services
 * that it calls.
 */
export interface SpanContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** The value of `tracestate`. Empty if there is none. */
  readonly traceState: string;
}

/** Version, trace id, parent id and flags. Versions above 00 may have further parts after a dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_TRACEPARENT = 256;
export const SAMPLED_FLAG = 0x01;

const NO_TRACE_ID = '0'.repeat(32);
const NO_SPAN_ID = '0'.repeat(16);

export function isTraceId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text) && text !== NO_TRACE_ID;
}

export function isSpanId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text) && text !== NO_SPAN_ID;
}

/**
 * Parses `traceparent` and `tracestate` (W3C Trace Context 3.2, 3.3).
 *
 * @returns undefined if `traceparent` is invalid. An invalid `tracestate` is dropped alone.
 */
export function parseTraceParent(traceParent: string, traceState: string | undefined): SpanContext | undefined {
  if (traceParent.length > MAX_TRACEPARENT) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(traceParent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === NO_TRACE_ID || spanId === NO_SPAN_ID) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED_FLAG) === SAMPLED_FLAG;
  return { traceId, spanId, isSampled, traceState: traceState === undefined ? '' : parseTraceState(traceState) };
}

export function formatTraceParent({ traceId, spanId, isSampled }: Omit<SpanContext, 'traceState'>): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/**
 * Returns 32 bits of an id as a signed number. `Number.parseInt` takes ten times as long, and every request needs one.
 *
 * @param id lower-case hexadecimal digits.
 * @param index of a word of eight digits, from 0 on.
 */
export function wordAt(id: string, index: number): number {
  let bits = 0;
  for (let i = index * 8; i < index * 8 + 8; i++) {
    const code = id.charCodeAt(i);
    bits = (bits << 4) | (code <= 0x39 ? code - 0x30 : code - 0x57);
  }
  return bits;
}

/** Key and value of a `tracestate` member (W3C Trace Context 3.3.1.3). */
const STATE_MEMBER =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MAX_STATE_MEMBERS = 32;
/** A tracestate of 512 characters has to be passed on (3.3.1.5). A tracestate beyond this limit is dropped as a whole. */
const MAX_TRACE_STATE = 1_024;

/** @returns the members without surrounding whitespace. Empty if a member is invalid or a key is repeated. */
function parseTraceState(text: string): string {
  if (text.length > MAX_TRACE_STATE) return '';
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  if (members.length > MAX_STATE_MEMBERS || !members.every((member) => STATE_MEMBER.test(member))) return '';
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  return keys.size === members.length ? members.join(',') : '';
}
