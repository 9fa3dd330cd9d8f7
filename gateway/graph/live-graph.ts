import type { Logger } from '../../platform/index.ts';
import type { Metadata } from '../metadata/index.ts';
import { openActions, type RemoteSchema, remoteSchema, type Source, type Surroundings } from '../sources/index.ts';
import { conflictsWith } from './conflicts.ts';
import { Generation, type Inconsistency } from './generation.ts';

const RETRY_MS = { first: 250, most: 15_000 };
/** For how long after the start a missing source keeps the gateway from being ready. */
const START_GRACE_MS = 10_000;

/**
 * The graph that is being served. It owns the generations: a remote schema that does not answer at the start is left
 * out and asked again, with growing pauses, and when it answers a new generation takes the place of the old one.
 */
export class LiveGraph {
  readonly #metadata: Metadata;
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  readonly #remotes: readonly RemoteSchema[];
  readonly #actions: Source | undefined;
  readonly #opened = new Map<string, Source>();
  readonly #failures = new Map<string, string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #current: Generation;
  #graceOver = false;
  #stopped = false;

  /** @throws SourceError when a source's metadata cannot work, whatever the remotes answer. */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger) {
    this.#metadata = metadata;
    this.#surroundings = surroundings;
    this.#log = log;
    this.#remotes = metadata.remoteSchemas.map((remote) => remoteSchema(remote, surroundings));
    this.#actions = openActions(metadata, surroundings);
    for (const remote of this.#remotes) this.#failures.set(remote.name, 'not asked yet');
    this.#current = this.#build();
  }

  get current(): Generation {
    return this.#current;
  }

  /**
   * Whether callers can be sent here: every source is part of the graph or, once the start is some time ago, at least
   * those that let callers log in.
   */
  get ready(): boolean {
    if (this.#current.inconsistencies.length === 0) return true;
    return (
      this.#graceOver &&
      this.#metadata.remoteSchemas.every((remote) => !this.#isPublic(remote.name) || this.#opened.has(remote.name))
    );
  }

  /** Begins to ask the remote schemas for their types. */
  start(): void {
    this.#later(START_GRACE_MS, () => {
      this.#graceOver = true;
    });
    for (const remote of this.#remotes) void this.#open(remote, RETRY_MS.first);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #isPublic(name: string): boolean {
    const remote = this.#metadata.remoteSchemas.find((candidate) => candidate.name === name);
    return (remote?.permissions ?? []).some((permission) => permission.role === this.#surroundings.publicRole);
  }

  async #open(remote: RemoteSchema, pauseMs: number): Promise<void> {
    try {
      const source = await remote.open();
      if (this.#stopped) return;
      this.#opened.set(remote.name, source);
      this.#failures.delete(remote.name);
      this.#log.info({ source: remote.name }, 'a source is part of the graph');
    } catch (error) {
      if (this.#stopped) return;
      this.#later(pauseMs, () => void this.#open(remote, Math.min(pauseMs * 2, RETRY_MS.most)));
      const reason = (error as Error).message;
      if (this.#failures.get(remote.name) === reason) return;
      this.#failures.set(remote.name, reason);
      this.#log.warn({ source: remote.name, reason }, 'a source is not part of the graph; it is asked until it is');
    }
    this.#current = this.#build();
  }

  #build(): Generation {
    const sources: Source[] = [];
    const inconsistencies: Inconsistency[] = [...this.#failures].map(([source, reason]) => ({ source, reason }));
    // In the order of the metadata, so that who loses a conflict does not depend on who answered first.
    const candidates = [this.#actions, ...this.#remotes.map((remote) => this.#opened.get(remote.name))];
    for (const source of candidates) {
      if (!source) continue;
      const conflicts = conflictsWith(source, sources);
      if (conflicts.length === 0) sources.push(source);
      else inconsistencies.push({ source: source.name, reason: conflicts.join('; ') });
    }
    for (const { source, reason } of inconsistencies)
      if (!this.#failures.has(source))
        this.#log.error({ source, reason }, 'a source conflicts with another one and is left out');
    return new Generation({
      metadata: this.#metadata,
      sources,
      inconsistencies,
      publicRole: this.#surroundings.publicRole,
    });
  }

  #later(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, delayMs).unref();
    this.#timers.add(timer);
  }
}
