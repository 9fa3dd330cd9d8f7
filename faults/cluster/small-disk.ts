import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroup } from '../../bench/machine/index.ts';

/** A directory, on a file system of its own where that may be mounted: then it can be filled up. */
export interface SmallDisk {
  readonly path: string;
  /** Undefined where nothing may be mounted here. */
  readonly ballast: { fill(): void; free(): void } | undefined;
}

const FILL_CHUNK = Buffer.alloc(64 * 1024);

export function smallDisk(group: ProcessGroup, name: string, megabytes: number): SmallDisk {
  const path = group.directory(name);
  if (!mount(path, megabytes)) return { path, ballast: undefined };
  const unmount = () => {
    try {
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
    } catch {
      // It was unmounted before.
    }
  };
  group.afterwards(async () => unmount());
  process.once('exit', unmount);
  const file = join(path, 'ballast');
  return {
    path,
    ballast: {
      fill() {
        const descriptor = openSync(file, 'a');
        try {
          // The last bytes one by one: a service's small file would else still find room.
          for (let chunk = FILL_CHUNK; chunk.length > 0; chunk = chunk.subarray(0, chunk.length >> 1))
            while (wasWritten(descriptor, chunk));
        } finally {
          closeSync(descriptor);
        }
      },
      free: () => rmSync(file, { force: true }),
    },
  };
}

/** @returns whether it could be mounted, which takes root and a machine that lets it. */
function mount(path: string, megabytes: number): boolean {
  if (process.getuid?.() !== 0) return false;
  const words = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'portico-faults', path];
  return spawnSync('mount', words, { stdio: 'ignore' }).status === 0;
}

function wasWritten(descriptor: number, chunk: Uint8Array): boolean {
  try {
    return writeSync(descriptor, chunk) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
