import { type DashboardDescription, gaugeOf, rateOf, SELECTED } from './description.ts';

const PROCESS = '{{instance}} {{worker}}';

export const processes: DashboardDescription = {
  name: 'processes',
  title: 'Processes',
  description: 'Event loops, memory, processor time and workers of gateways and auth services, and lost telemetry.',
  series: 'nodejs_eventloop_utilization_ratio',
  rows: [
    {
      title: 'Event loop',
      panels: [
        {
          title: 'Event-loop delay, 99th percentile',
          description: 'How late the event loop is. Every request in the process waits for as long.',
          unit: 's',
          queries: [
            { expr: gaugeOf('max', 'nodejs_eventloop_delay_p99_seconds', 'instance, worker'), legend: PROCESS },
          ],
          alert: 'PorticoEventLoopSlow',
        },
        {
          title: 'Longest event-loop delay',
          description: 'The longest pause of the process since the last report.',
          unit: 's',
          queries: [
            { expr: gaugeOf('max', 'nodejs_eventloop_delay_max_seconds', 'instance, worker'), legend: PROCESS },
          ],
          alert: 'PorticoEventLoopSlow',
        },
        {
          title: 'Event-loop utilization',
          description: 'Share of the time in which the event loop is busy. Near 1 the process is at its limit.',
          unit: 'percentunit',
          max: 1,
          queries: [
            { expr: gaugeOf('max', 'nodejs_eventloop_utilization_ratio', 'instance, worker'), legend: PROCESS },
          ],
          alert: 'PorticoEventLoopSaturated',
        },
      ],
    },
    {
      title: 'Memory and processor',
      panels: [
        {
          title: 'Heap, of its limit',
          description: 'At 100 % the process ends.',
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `sum by (instance, worker) (v8js_memory_heap_used_bytes{${SELECTED}}) / sum by (instance, worker) (v8js_memory_heap_limit_bytes{${SELECTED}})`,
              legend: PROCESS,
            },
          ],
          alert: 'PorticoHeapNearLimit',
        },
        {
          title: 'Resident memory',
          description: 'What the process has of the memory of its machine or container.',
          unit: 'bytes',
          queries: [{ expr: gaugeOf('sum', 'process_memory_usage_bytes', 'instance, worker'), legend: PROCESS }],
          alert: 'PorticoHeapNearLimit',
        },
        {
          title: 'Processor time',
          description: 'Seconds of processor time a second; 1 is a whole core.',
          unit: 'percentunit',
          queries: [{ expr: rateOf('process_cpu_time_seconds_total', 'instance, worker'), legend: PROCESS }],
        },
        {
          title: 'Garbage collection',
          description: 'Share of the time that collections take, by kind.',
          unit: 'percentunit',
          queries: [{ expr: rateOf('v8js_gc_duration_seconds_sum', 'v8js_gc_type'), legend: '{{v8js_gc_type}}' }],
        },
        {
          title: 'Open file descriptors',
          description: 'Sockets, most of them.',
          unit: 'none',
          queries: [
            { expr: gaugeOf('sum', 'process_open_file_descriptor_count', 'instance, worker'), legend: PROCESS },
          ],
        },
        {
          title: 'Uptime',
          description: 'A drop is a restart.',
          unit: 'dtdurations',
          queries: [{ expr: gaugeOf('min', 'process_uptime_seconds', 'instance, worker'), legend: PROCESS }],
          alert: 'PorticoTargetDown',
        },
      ],
    },
    {
      title: 'Workers and telemetry',
      panels: [
        {
          title: 'Workers by state',
          description: 'Worker processes of gateways; nothing where a gateway is a single process.',
          unit: 'none',
          queries: [{ expr: gaugeOf('sum', 'portico_workers', 'instance, state'), legend: '{{instance}} {{state}}' }],
        },
        {
          title: 'Restarts of workers',
          description: 'Workers that ended and were replaced, in the last hour.',
          unit: 'none',
          queries: [
            {
              expr: `sum by (instance) (increase(portico_worker_restarts_total{job=~"$job",instance=~"$instance"}[1h]))`,
              legend: '{{instance}}',
            },
          ],
          alert: 'PorticoWorkerRestarts',
        },
        {
          title: 'Redis available',
          description: '0: the gateway does without Redis.',
          unit: 'none',
          width: 24,
          max: 1,
          queries: [
            {
              expr: gaugeOf('min', 'portico_redis_available', 'instance, purpose'),
              legend: '{{instance}} {{purpose}}',
            },
          ],
          alert: 'PorticoRedisUnavailable',
        },
        {
          title: 'Spans by outcome',
          description: 'Spans that were exported, dropped for lack of room, or failed to be sent.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_telemetry_spans_total', 'outcome'), legend: '{{outcome}}' }],
          alert: 'PorticoTelemetryLost',
        },
      ],
    },
  ],
};
