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
 * What can be done over and over at no cost is written down once, and then once a minute with the number of times. No
 * more than 500 are kept apart; further ones are counted together, by event.
 */
export class AuditDeduplicator {
  readonly #windows = new Map<string, DeduplicationWindow>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** How many entries are counted and not written yet. */
  get backlog(): number {
    let more = 0;
    for (const window of this.#windows.values()) more += window.more;
    return more;
  }

  /** @returns what is to be written now: the first of its kind, and nothing of those that follow. */
  countEntry(entry: AuditEntry, key: string): AuditEntry | undefined {
    const isKnown = this.#windows.has(key);
    if (isKnown || this.#windows.size < MAX_KEYS) return this.#count(entry, key);
    return this.#count(withoutIdentity(entry), JSON.stringify([entry.event, entry.outcome]));
  }

  /** Removes and returns the counts of finished windows, or with `all` of every window, to be written now. */
  takeEnded({ all = false } = {}): readonly AuditEntry[] {
    const now = this.#now().getTime();
    const entries: AuditEntry[] = [];
    for (const [key, { entry, endsAt, more, last }] of this.#windows) {
      // One that would last longer than any was begun before the clock was set back.
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
