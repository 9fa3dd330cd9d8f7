import { readFileSync } from 'node:fs';

/** Descriptors of a process besides connections: its standard streams, files, threads. */
const OWN_FILES = 64;

/**
 * How many client connections this process may accept so that file descriptors are left for its own: a process without
 * any can neither call a service nor read a file. Half of them, since most clients wait for a call to a service. Undefined
 * where the limit is not known.
 *
 * @param limits the text of `/proc/self/limits` (proc(5)), which other systems do not have.
 */
export function acceptableConnections(limits: string | undefined = readLimits()): number | undefined {
  const soft = /^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1];
  if (soft === undefined) return undefined;
  return Math.max(Math.floor((Number(soft) - OWN_FILES) / 2), 1);
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
}
