import type { SpanContext } from './trace-context.ts';

/** Samplers by the names of `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

/**
 * Decides whether a trace is recorded.
 *
 * @param bits the first 32 of the last 64 bits of its id.
 * @param parent the caller's span, if there is a trusted one.
 */
export type Sampler = (bits: number, parent: SpanContext | undefined) => boolean;

/** @param ratio from 0 to 1, for the samplers that use one. */
export function createSampler(name: SamplerName, ratio: number): Sampler {
  const isParentBased = name.startsWith('parentbased_');
  const own = rootSampler(name, ratio);
  return isParentBased ? (bits, parent) => parent?.isSampled ?? own(bits) : own;
}

function rootSampler(name: SamplerName, ratio: number): (bits: number) => boolean {
  if (name.endsWith('always_on')) return () => true;
  if (name.endsWith('always_off')) return () => false;
  return ratioSampler(ratio);
}

/**
 * Samples by the last 8 bytes of the trace id as a number, like the SDKs of Go and Java. Processes with the same ratio sample
 * the same traces, and a higher ratio includes all traces of a lower one. The upper 32 of the 63 bits decide.
 */
function ratioSampler(ratio: number): (bits: number) => boolean {
  const bound = Math.round(ratio * 2 ** 31);
  // The first of the 64 bits is ignored, so 31 of the first 32 remain.
  return (bits) => (bits & 0x7fffffff) < bound;
}
