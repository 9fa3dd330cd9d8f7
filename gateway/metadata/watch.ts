import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const INTERVAL_MS = 500;

/**
 * Calls `onChange` when the files of the metadata have changed and rested for one interval, so that an edit of several
 * files is mostly taken as one. It looks at the files instead of waiting for the system's word, which does not reach
 * into containers from every host.
 *
 * @returns what ends the watch.
 */
export function watchMetadata(location: string, onChange: () => void): () => void {
  let seen = fingerprint(location);
  let acted = seen;
  const timer = setInterval(() => {
    const now = fingerprint(location);
    const rested = now === seen;
    seen = now;
    if (!rested || now === acted) return;
    acted = now;
    onChange();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Names, sizes and times of all files, as one text. What cannot be read counts as changed when it can be. */
function fingerprint(location: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(location);
    if (!statSync(location).isDirectory()) return `${ino} ${size} ${mtimeMs}`;
    return readdirSync(location, { recursive: true })
      .map(String)
      .sort()
      .map((name) => `${name} ${fingerprintOfFile(join(location, name))}`)
      .join('\n');
  } catch {
    return 'unreadable';
  }
}

function fingerprintOfFile(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}
