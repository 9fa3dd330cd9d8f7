import { describe, expect, test } from '@jest/globals';
import {
  logFieldsIn,
  NewContexts,
  spanIdIn,
  traceIdIn,
  traceParentIn,
} from '../../../platform/telemetry/new-contexts.ts';
import { createSampler } from '../../../platform/telemetry/sampler.ts';
import { SpanIdGenerator } from '../../../platform/telemetry/span-ids.ts';
import { parseTraceParent, wordAt } from '../../../platform/telemetry/trace-context.ts';

const parent = (isSampled: boolean) => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled, traceState: '' });

/** The same ids in each run, spread evenly: a linear congruential generator (Numerical Recipes). */
function* evenIds(count: number): Generator<string> {
  let state = 1n;
  for (let i = 0; i < count; i++) {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    yield `${'0'.repeat(16)}${state.toString(16).padStart(16, '0')}`;
  }
}

const share = (ids: Iterable<string>, ratio: number): number => {
  const sampler = createSampler('traceidratio', ratio);
  let [all, sampled] = [0, 0];
  for (const id of ids) {
    all++;
    if (sampler(wordAt(id, 2), undefined)) sampled++;
  }
  return sampled / all;
};

describe('the share of traces', () => {
  test.each([1, 0.5, 0.25, 0.1, 0.05, 0])('of %d is what is recorded, 5 %% to either side', (ratio) => {
    const recorded = share(evenIds(200_000), ratio);

    expect(Math.abs(recorded - ratio)).toBeLessThanOrEqual(ratio * 0.05);
  });

  test('is what is recorded of the ids that are made here', () => {
    const contexts = new NewContexts();
    const recorded = share(
      Array.from({ length: 100_000 }, () => traceIdIn(contexts.next())),
      0.5,
    );

    expect(Math.abs(recorded - 0.5)).toBeLessThanOrEqual(0.025);
  });

  test('is of the same traces in all processes, and those of a lower share are among those of a higher', () => {
    const [low, high] = [createSampler('traceidratio', 0.1), createSampler('parentbased_traceidratio', 0.4)];
    const ids = [...evenIds(10_000)];
    const chosen = ids.filter((id) => low(wordAt(id, 2), undefined));

    expect(chosen.length).toBeGreaterThan(0);
    expect(chosen.every((id) => high(wordAt(id, 2), undefined))).toBe(true);
  });
});

test.each([
  ['always_on', true, false, true],
  ['always_off', false, true, false],
  ['parentbased_always_on', true, false, false],
  ['parentbased_always_off', false, true, true],
  ['traceidratio', false, true, false],
  ['parentbased_traceidratio', false, true, true],
] as const)('%s decides a new trace and one that is continued', (name, isNewRecorded, isParentSampled, expected) => {
  const sampler = createSampler(name, 0);

  expect(sampler(0x2aaaaaaa, undefined)).toBe(isNewRecorded);
  expect(sampler(0x2aaaaaaa, parent(isParentSampled))).toBe(expected);
});

test('ids are random, of their lengths and never zero', () => {
  const contexts = new NewContexts();
  const ids = new SpanIdGenerator();
  const made = Array.from({ length: 5_000 }, () => contexts.next());
  const traces = made.map(traceIdIn);
  const spans = [...made.map(spanIdIn), ...Array.from({ length: 5_000 }, () => ids.next())];

  expect(made.every((context) => parseTraceParent(traceParentIn(context), undefined)?.isSampled === false)).toBe(true);
  expect([new Set(traces).size, new Set(spans).size]).toEqual([5_000, 10_000]);
  expect(traces.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(spans.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
});

test('an id is known in words too, which are those of its text', () => {
  const contexts = new NewContexts();
  const ids = new SpanIdGenerator();
  for (let i = 0; i < 2_000; i++) {
    const context = contexts.next();
    const span = ids.next();

    expect([0, 1, 2, 3].map((index) => contexts.word(index))).toEqual(
      [0, 1, 2, 3].map((index) => wordAt(traceIdIn(context), index)),
    );
    expect([contexts.word(4), contexts.word(5)]).toEqual([0, 1].map((index) => wordAt(spanIdIn(context), index)));
    expect([ids.lastWord(2), ids.lastWord(1)]).toEqual([wordAt(span, 0), wordAt(span, 1)]);
  }
});

test('the ids that services get are those of the log line', () => {
  const contexts = new NewContexts();
  for (let i = 0; i < 2_000; i++) {
    const context = contexts.next();
    const ids = { traceId: traceIdIn(context), spanId: spanIdIn(context) };

    expect(parseTraceParent(traceParentIn(context), undefined)).toEqual({ ...ids, isSampled: false, traceState: '' });
    expect(JSON.parse(`{"level":"info"${logFieldsIn(context)}}`)).toEqual({
      level: 'info',
      trace_id: ids.traceId,
      span_id: ids.spanId,
    });
  }
});
