import { readFileSync } from 'node:fs';

/** File descriptors that a process needs in addition to connections: standard streams, files, threads. */
const OWN_FILES = 64;

/**
 * Returns how many client connections this process may accept so that enough file descriptors remain. Without any, a process
 * can neither call a service nor read a file. Half of the descriptors are for clients, since most clients wait for a call to a
 * service. Undefined if the limit is unknown.
 *
 * @param limits the text of `/proc/self/limits` (proc(5)), which only Linux has.
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
