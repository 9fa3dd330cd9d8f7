import { type AuditEntry, FROM_INSIDE, PLATFORM } from './entry.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 500;

interface Window {
  readonly entry: AuditEntry;
  readonly endsAt: number;
  more: number;
  last: AuditEntry;
}

export interface RepeatsOptions {
  now(): Date;
  /** As `windowMs` and `maxKeys`: the defaults are what the documentation says. */
  windowMs?: number;
  maxKeys?: number;
}

/**
 * What can be done over and over at no cost is written down once, and then once a window with the number of times. No
 * more than `maxKeys` are told apart; what comes beyond them is counted together, by event.
 */
export class Repeats {
  readonly #windows = new Map<string, Window>();
  readonly #options: Required<RepeatsOptions>;

  constructor({ now, windowMs = WINDOW_MS, maxKeys = MAX_KEYS }: RepeatsOptions) {
    this.#options = { now, windowMs, maxKeys };
  }

  /** @returns what is to be written now: the first of its kind, and nothing of those that follow. */
  note(entry: AuditEntry, key: string): AuditEntry | undefined {
    const isKnown = this.#windows.has(key);
    if (isKnown || this.#windows.size < this.#options.maxKeys) return this.#count(entry, key);
    return this.#count(together(entry), JSON.stringify([entry.event, entry.outcome]));
  }

  /** What was counted in windows that are over, or with `all` in any, to be written now. They are forgotten here. */
  ended({ all = false } = {}): readonly AuditEntry[] {
    const now = this.#options.now().getTime();
    const entries: AuditEntry[] = [];
    for (const [key, { entry, endsAt, more, last }] of this.#windows) {
      if (!all && now < endsAt) continue;
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
    const endsAt = this.#options.now().getTime() + this.#options.windowMs;
    this.#windows.set(key, { entry, endsAt, more: 0, last: entry });
    return entry;
  }
}

/** Who it was is not told apart any more, so nothing of anybody is said. */
function together({ at, event, outcome }: AuditEntry): AuditEntry {
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
