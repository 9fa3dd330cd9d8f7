import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Loaded with `--import` into the processes whose event loops are watched. At SIGUSR2 a process writes how late its loop
// was since the last time, into a file named after its process id. It tells of itself once at its start.
const RESOLUTION_MS = 10;
const directory = process.env.BENCH_PROBE_DIR;
if (isMainThread && directory) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let asked = 0;
  const write = () => {
    const milliseconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const report = {
      asked: asked++,
      pid: process.pid,
      script: process.argv[1] ?? '',
      p99Ms: milliseconds(histogram.percentile(99)),
      maxMs: milliseconds(histogram.max),
    };
    histogram.reset();
    const file = join(directory, `${process.pid}.json`);
    writeFileSync(`${file}.part`, JSON.stringify(report));
    renameSync(`${file}.part`, file);
  };
  process.on('SIGUSR2', write);
  write();
}
