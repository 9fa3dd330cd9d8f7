import { type AuditEntry, FROM_INSIDE, PLATFORM } from './entry.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 500;

interface DeduplicationWindow {
  readonly entry: AuditEntry;
  readonly endsAt: number;
  more: number;
  last: AuditEntry;
}

/**
 * Deduplicates events that can be repeated at no cost. The first one is written immediately, then one entry a minute with the
 * number of repetitions. At most 500 kinds are counted separately, and further ones together by event.
 */
export class AuditDeduplicator {
  readonly #windows = new Map<string, DeduplicationWindow>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** The number of counted entries that have not been written. */
  get backlog(): number {
    let more = 0;
    for (const window of this.#windows.values()) more += window.more;
    return more;
  }

  /** @returns the entry to write now: the first of its kind. Undefined for those that follow. */
  countEntry(entry: AuditEntry, key: string): AuditEntry | undefined {
    const isKnown = this.#windows.has(key);
    if (isKnown || this.#windows.size < MAX_KEYS) return this.#count(entry, key);
    return this.#count(withoutIdentity(entry), JSON.stringify([entry.event, entry.outcome]));
  }

  /** Removes and returns the counts of finished windows, or with `all` of every window. The caller writes them. */
  takeEnded({ all = false } = {}): readonly AuditEntry[] {
    const now = this.#now().getTime();
    const entries: AuditEntry[] = [];
    for (const [key, { entry, endsAt, more, last }] of this.#windows) {
      // A window that would last too long was begun before the clock was set back.
      if (!all && now < endsAt && now >= endsAt - WINDOW_MS) continue;
      this.#windows.delete(key);
      const since = entry.at.toISOString();
      if (more > 0) entries.push({ ...last, details: { ...last.details, repeated: more, since } });
    }
    return entries;
  }

  #count(entry: AuditEntry, key: string): AuditEntry | undefined {
    const known = this.#windows.get(key);
    if (known) {
      known.more += 1;
      known.last = entry;
      return undefined;
    }
    const endsAt = this.#now().getTime() + WINDOW_MS;
    this.#windows.set(key, { entry, endsAt, more: 0, last: entry });
    return entry;
  }
}

/** Several actors are counted together, so the entry names none. */
function withoutIdentity({ at, event, outcome }: AuditEntry): AuditEntry {
  return {
    at,
    event,
    outcome,
    tenantId: PLATFORM,
    actor: { kind: 'unknown' },
    origin: FROM_INSIDE,
    details: { reason: 'too-many-to-tell-apart' },
  };
}
