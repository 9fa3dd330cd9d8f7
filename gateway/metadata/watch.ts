import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const WATCH_INTERVAL_MS = 250;
/** After this many intervals, a change is reported even if edits continue. */
const MOST_INTERVALS = 4;

/** Ignored: it may contain thousands of files, and polling each of them twice a second would be slow. */
const DATABASE_FOLDERS = 'databases';

/**
 * Calls `onChange` once changed metadata files have been stable for one interval, so that an edit of several files usually
 * causes a single call. If edits continue, it is called every four intervals. The files are polled, because file system events
 * do not reach into containers on every host.
 *
 * @returns a function that stops the watch.
 */
export function watchMetadata(location: string, onChange: () => void, intervalMs = WATCH_INTERVAL_MS): () => void {
  let seen = directoryFingerprint(location);
  let acted = seen;
  let waited = 0;
  const timer = setInterval(() => {
    const now = directoryFingerprint(location);
    const rested = now === seen;
    seen = now;
    if (now === acted) waited = 0;
    else if (rested || ++waited >= MOST_INTERVALS) {
      acted = now;
      waited = 0;
      onChange();
    }
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns names, sizes and times of all files as one text. An unreadable file counts as changed once it is readable. */
function directoryFingerprint(location: string): string {
  try {
    if (!statSync(location).isDirectory()) return fileFingerprint(dirname(location), basename(location));
    return readdirSync(location)
      .filter((entry) => entry !== DATABASE_FOLDERS)
      .flatMap((entry) => [entry, ...watchedFilesIn(location, entry)])
      .sort()
      .map((name) => fileFingerprint(location, name))
      .join('\n');
  } catch {
    return 'unreadable';
  }
}

function watchedFilesIn(location: string, entry: string): readonly string[] {
  const path = join(location, entry);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(path, { recursive: true }).map((name) => join(entry, String(name)));
}

function fileFingerprint(location: string, name: string): string {
  const found = statSync(join(location, name), { throwIfNoEntry: false });
  return found?.isFile() ? `${name} ${found.ino} ${found.size} ${found.mtimeMs}` : name;
}
