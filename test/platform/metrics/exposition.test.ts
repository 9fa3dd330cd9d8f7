import { describe, expect, test } from '@jest/globals';
import {
  acceptedFormat,
  counter,
  Durations,
  durationHistogram,
  gauge,
  type Metric,
  ofWorkers,
  oneGauge,
  writeMetrics,
} from '../../../platform/index.ts';

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

function durations(): Durations {
  const counted = new Durations([5, 10]);
  for (const ms of [1, 5, 6, 4_000]) counted.add(ms);
  return counted;
}

const METRICS: readonly Metric[] = [
  counter('calls_total', 'Calls.', ['outcome'], [{ labels: { outcome: 'success' }, value: 3 }]),
  counter('nothing_yet_total', 'Nothing so far.', ['outcome'], []),
  oneGauge('open', 'Open ones.', 2),
  durationHistogram('took_seconds', 'How long.', ['type'], [5, 10], [durations().sample({ type: 'query' })]),
];

describe('metrics', () => {
  test('are written in the text format of Prometheus', async () => {
    expect(await writeMetrics(METRICS, PROMETHEUS)).toBe(`# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{outcome="success"} 3

# HELP nothing_yet_total Nothing so far.
# TYPE nothing_yet_total counter

# HELP open Open ones.
# TYPE open gauge
open 2

# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{type="query",le="0.005"} 2
took_seconds_bucket{type="query",le="0.01"} 3
took_seconds_bucket{type="query",le="+Inf"} 4
took_seconds_sum{type="query"} 4.012
took_seconds_count{type="query"} 4
`);
  });

  test('are written in the format of OpenMetrics, with the traces of slow requests', async () => {
    const counted = durations();
    counted.add(7, { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true });
    counted.add(3, { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), isSampled: false });
    const metrics = [
      ...METRICS.slice(0, 3),
      durationHistogram('took_seconds', 'How long.', ['type'], [5, 10], [counted.sample({ type: 'query' })]),
    ];
    const text = await writeMetrics(metrics, OPEN_METRICS);
    expect(text).toContain('# TYPE calls counter\ncalls_total{outcome="success"} 3\n');
    expect(text).toMatch(
      /^took_seconds_bucket\{type="query",le="0.01"\} 5 # \{trace_id="a{32}",span_id="b{16}"\} 0.007 \d+(\.\d+)?$/m,
    );
    expect(text).toContain('took_seconds_bucket{type="query",le="0.005"} 3\n');
    expect(text).not.toContain('\n\n');
    expect(text.endsWith('\n# EOF\n')).toBe(true);
  });

  test('have labels whose values are escaped', async () => {
    const value = 'a "quoted" \\ name\nof two lines';
    const text = await writeMetrics(
      [gauge('open', 'Open.', ['name'], [{ labels: { name: value }, value: 1 }])],
      PROMETHEUS,
    );
    expect(text).toContain(String.raw`open{name="a \"quoted\" \\ name\nof two lines"} 1`);
  });

  test.each<[string, Metric]>([
    ['a name that Prometheus does not allow', oneGauge('my-gauge', 'A gauge.', 1)],
    ['a label that Prometheus does not allow', gauge('open', 'Open.', ['a-b'], [])],
    ['a label that was not declared', gauge('open', 'Open.', ['one'], [{ labels: { two: '' }, value: 1 }])],
    [
      'a label of a histogram that was not declared',
      durationHistogram('took_seconds', 'How long.', [], [5, 10], [durations().sample({ type: 'query' })]),
    ],
    ['a counter that is negative', counter('calls_total', 'Calls.', [], [{ labels: {}, value: -1 }])],
  ])('are not written with %s', async (_what, metric) => {
    await expect(writeMetrics([metric], PROMETHEUS)).rejects.toThrow();
  });

  test('of several workers have the label worker', async () => {
    // As they come from another process.
    const told = JSON.parse(JSON.stringify(METRICS)) as readonly Metric[];
    const text = await writeMetrics(
      ofWorkers(
        new Map([
          [1, METRICS],
          [3, told],
        ]),
      ),
      PROMETHEUS,
    );
    expect(text.match(/^# TYPE /gm)).toHaveLength(METRICS.length);
    expect(text).toContain(
      'calls_total{worker="1",outcome="success"} 3\ncalls_total{worker="3",outcome="success"} 3\n',
    );
    expect(text).toContain('took_seconds_bucket{worker="3",type="query",le="+Inf"} 4');
    expect(text).toContain('open{worker="1"} 2');
  });
});

test.each([
  [undefined, PROMETHEUS],
  ['', PROMETHEUS],
  ['*/*', PROMETHEUS],
  ['text/html, */*;q=0.1', PROMETHEUS],
  ['application/openmetrics-text', OPEN_METRICS],
  ['application/openmetrics-text;version=1.0.0;charset=utf-8', OPEN_METRICS],
  ['application/openmetrics-text;version=2.0.0', PROMETHEUS],
  ['application/openmetrics-text;q=0', PROMETHEUS],
  ['application/openmetrics-text;q=nonsense', PROMETHEUS],
  // Prometheus 2 and 3.
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    OPEN_METRICS,
  ],
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    OPEN_METRICS,
  ],
  ['text/plain;q=0.9, application/openmetrics-text;q=0.8', PROMETHEUS],
])('Accept: %s is answered with %s', (accept, format) => {
  expect(acceptedFormat(accept)).toBe(format);
});
