import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const INTERVAL_MS = 250;
/** After so many intervals a change is taken although edits go on. */
const MOST_INTERVALS = 4;

/** Thousands of files of Hasura's, of which none is acted on: to look at each twice a second would be felt. */
const DATABASES = 'databases';

/**
 * Calls `onChange` when the files of the metadata have changed and rested for one interval, so that an edit of several
 * files is mostly taken as one. While edits never rest, it calls once in four intervals. It looks at the files instead of waiting for the system's word, which does not reach
 * into containers from every host.
 *
 * @returns what ends the watch.
 */
export function watchMetadata(location: string, onChange: () => void, intervalMs = INTERVAL_MS): () => void {
  let seen = fingerprint(location);
  let acted = seen;
  let waited = 0;
  const timer = setInterval(() => {
    const now = fingerprint(location);
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

/** Names, sizes and times of all files, as one text. What cannot be read counts as changed when it can be. */
function fingerprint(location: string): string {
  try {
    if (!statSync(location).isDirectory()) return fingerprintOf(dirname(location), basename(location));
    return readdirSync(location)
      .filter((entry) => entry !== DATABASES)
      .flatMap((entry) => [entry, ...filesIn(location, entry)])
      .sort()
      .map((name) => fingerprintOf(location, name))
      .join('\n');
  } catch {
    return 'unreadable';
  }
}

function filesIn(location: string, entry: string): readonly string[] {
  const path = join(location, entry);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(path, { recursive: true }).map((name) => join(entry, String(name)));
}

function fingerprintOf(location: string, name: string): string {
  const found = statSync(join(location, name), { throwIfNoEntry: false });
  return found?.isFile() ? `${name} ${found.ino} ${found.size} ${found.mtimeMs}` : name;
}
