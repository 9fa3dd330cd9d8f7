import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded with `--import` into all processes; those that run BENCH_PROBE_SCRIPT are watched. At SIGUSR2 such a process
// writes how late its loop was since the last time, and the least heap that a collection has left, into a file named after its process id, and once at its start.
// To watch costs a wake-up every few milliseconds, which the others are spared.
const RESOLUTION_MS = 10;
const { BENCH_PROBE_DIR: directory, BENCH_PROBE_SCRIPT: watched } = process.env;
const probedScript = process.argv[1] ?? '';
if (isMainThread && directory && watched && probedScript.endsWith(watched)) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let asked = 0;
  let heapFloor = Number.POSITIVE_INFINITY;
  const noteHeap = () => {
    heapFloor = Math.min(heapFloor, process.memoryUsage().heapUsed);
  };
  new PerformanceObserver(noteHeap).observe({ entryTypes: ['gc'] });
  const write = () => {
    noteHeap();
    const milliseconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const report = {
      asked: asked++,
      pid: process.pid,
      p99Ms: milliseconds(histogram.percentile(99)),
      maxMs: milliseconds(histogram.max),
      heapFloorMb: heapFloor / 2 ** 20,
    };
    histogram.reset();
    heapFloor = Number.POSITIVE_INFINITY;
    const file = join(directory, `${process.pid}.json`);
    writeFileSync(`${file}.part`, JSON.stringify(report));
    renameSync(`${file}.part`, file);
  };
  process.on('SIGUSR2', write);
  write();
}
