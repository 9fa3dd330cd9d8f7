import { readdirSync } from 'node:fs';
import {
  constants,
  type IntervalHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Durations, durationHistogram } from './durations.ts';
import { counter, gauge, type Metric, oneGauge } from './metric.ts';

/**
 * How often the delay of the event loop is measured. Each measurement wakes the process. Every 10 ms takes 0.4 % of a processor
 * core in an idle process, every 20 ms 0.2 %, and every 100 ms 0.05 %, where delays of 10 ms are hardly visible.
 */
const DELAY_RESOLUTION_MS = 20;

/** Collecting new objects takes about a millisecond, collecting all objects takes tens of milliseconds. */
const GC_BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000] as const;

/** The names in V8's semantic conventions. */
const GC_TYPES: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

export interface ProcessMetrics {
  /** Returns the current metrics. The delays of the event loop are those since the last call. */
  collect(): readonly Metric[];
  stop(): void;
}

/**
 * Measures this process: event loop, memory, garbage collections, processor time, file descriptors. A thread has its own
 * measurements. It is opened only if metrics are published.
 */
export function openProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const collections = new Map(Object.values(GC_TYPES).map((type) => [type, new Durations(GC_BOUNDS_MS)]));
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[])
      collections.get(GC_TYPES[detail?.kind ?? 0] ?? '')?.add(duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  let lastLoop = performance.eventLoopUtilization();

  return {
    collect() {
      const loop = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(loop, lastLoop);
      lastLoop = loop;
      const metrics = [
        ...delayMetrics(delay),
        oneGauge(
          'nodejs_eventloop_utilization_ratio',
          'Share of the time since the last scrape in which the event loop was busy.',
          utilization,
        ),
        counter(
          'nodejs_eventloop_time_seconds_total',
          'Time that the event loop was busy or idle.',
          ['nodejs_eventloop_state'],
          [
            { labels: { nodejs_eventloop_state: 'active' }, value: loop.active / 1000 },
            { labels: { nodejs_eventloop_state: 'idle' }, value: loop.idle / 1000 },
          ],
        ),
        durationHistogram(
          'v8js_gc_duration_seconds',
          'How long collections of garbage took.',
          ['v8js_gc_type'],
          GC_BOUNDS_MS,
          [...collections].map(([type, durations]) => durations.sample({ v8js_gc_type: type })),
        ),
        ...heapMetrics(),
        ...processMetrics(),
      ];
      delay.reset();
      return metrics;
    },
    stop() {
      delay.disable();
      observer.disconnect();
    },
  };
}

interface GcEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}

/** Returns how late the event loop was, beyond the resolution that the library includes. */
function delayMetrics(delay: IntervalHistogram): readonly Metric[] {
  // Nothing was measured since the last reading.
  if (delay.count === 0) return [];
  const values = {
    min: delay.min,
    mean: delay.mean,
    max: delay.max,
    p50: delay.percentile(50),
    p90: delay.percentile(90),
    p99: delay.percentile(99),
  };
  return Object.entries(values).map(([name, nanoseconds]) =>
    oneGauge(
      `nodejs_eventloop_delay_${name}_seconds`,
      `Delay of the event loop since the last scrape: ${name}.`,
      Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS) / 1000,
    ),
  );
}

function heapMetrics(): readonly Metric[] {
  const spaces = getHeapSpaceStatistics().filter(({ space_size: size }) => size > 0);
  return [
    gauge(
      'v8js_memory_heap_used_bytes',
      'Bytes of the heap that are in use.',
      ['v8js_heap_space_name'],
      spaces.map(({ space_name: name, space_used_size: value }) => ({ labels: { v8js_heap_space_name: name }, value })),
    ),
    oneGauge('v8js_memory_heap_limit_bytes', 'Bytes that the heap may have.', getHeapStatistics().heap_size_limit),
  ];
}

function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const descriptors = openDescriptors();
  return [
    counter(
      'process_cpu_time_seconds_total',
      'Processor time that the process took.',
      ['cpu_mode'],
      [
        { labels: { cpu_mode: 'user' }, value: user / 1e6 },
        { labels: { cpu_mode: 'system' }, value: system / 1e6 },
      ],
    ),
    oneGauge('process_memory_usage_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
    ...(descriptors === undefined
      ? []
      : [oneGauge('process_open_file_descriptor_count', 'Open file descriptors of the process.', descriptors)]),
    oneGauge('process_uptime_seconds', 'Time since the process started.', process.uptime()),
  ];
}

/** Returns undefined if the system has no `/proc`. */
function openDescriptors(): number | undefined {
  try {
    // Reading the directory opens one descriptor.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
