import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded with `--import` into all processes, but only those that run BENCH_PROBE_SCRIPT are watched. On SIGUSR2, a watched
// process writes to a file named after its process id. The file contains how late its loop was since the last time, and the
// smallest heap after a collection. It is also written once at the start. Watching costs a wake-up every few milliseconds,
// which the other processes are spared.
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
