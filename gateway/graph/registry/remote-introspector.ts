import {
  CompositionInterrupted,
  type OpenedRemote,
  type RemoteSchema,
  type Source,
  SourceError,
} from '../../sources/index.ts';
import type { Generation } from '../generation/index.ts';
import { conflictsWith } from './conflicts.ts';
import type { OpenedRemotes, Replaced } from './opened-remotes.ts';
import type { PendingLog } from './pending-log.ts';
import { SchemaHistory } from './schema-history.ts';
import { type SourceChanges, sourceChanges } from './source-changes.ts';

/** The maximum number of logged changes of one schema. `SchemaHistory` keeps more. */
const MAX_LOGGED_CHANGES = 20;
const NO_CHANGES: SourceChanges = { changes: [], total: 0, breaking: 0 };

interface ReplacedSchema extends Replaced {
  readonly source: string;
}

/**
 * Introspects remote schemas and records the results: the opened schema or the reason for the failure. A schema in use
 * stays in use if a later introspection fails or conflicts with other sources.
 */
export class RemoteIntrospector {
  readonly #opened: OpenedRemotes;
  readonly #current: () => Generation;
  readonly #log: PendingLog;
  /** The last changes of schemas. */
  readonly history = new SchemaHistory();
  readonly #failures = new Map<string, SourceError>();
  /** The reasons why the last introspection failed, for remote schemas that keep their schema. */
  readonly #refreshFailures = new Map<string, string>();
  /** Remote schemas whose change was not applied because composition was interrupted. */
  readonly #interrupted = new Set<string>();
  /** Replaced schemas that have not been compared with their successors yet. */
  readonly #replaced: ReplacedSchema[] = [];
  #stopped = false;

  /**
   * @param opened the place where schemas are added and replaced.
   * @param current the active generation. A changed schema must not conflict with its other sources.
   */
  constructor(opened: OpenedRemotes, current: () => Generation, log: PendingLog) {
    this.#opened = opened;
    this.#current = current;
    this.#log = log;
  }

  /** Remote schemas without an introspected schema, and the reasons. */
  get failures(): ReadonlyMap<string, SourceError> {
    return this.#failures;
  }

  /**
   * Remote schemas that could not be introspected again or whose changed schema is unusable, and the reasons. Such
   * remote schemas keep their last schema.
   */
  get refreshFailures(): ReadonlyMap<string, string> {
    return this.#refreshFailures;
  }

  /** Whether the last introspection of a remote schema failed or its result could not be composed. */
  needsRetry(name: string): boolean {
    return this.#failures.has(name) || this.#interrupted.has(name);
  }

  /** Whether a remote schema has been introspected, successfully or not. */
  isIntrospected(name: string): boolean {
    return (this.#opened.get(name) !== undefined && !this.#opened.isStored(name)) || this.#failures.has(name);
  }

  /** Whether a remote schema is missing in the active generation. */
  isMissing(name: string): boolean {
    return this.#current().missing.some(({ source }) => source === name);
  }

  /** Takes over the state of a remote schema from a previous introspector. */
  reuse(name: string, previous: RemoteIntrospector): void {
    const source = previous.#opened.get(name);
    const failure = previous.#failures.get(name);
    if (source) this.#opened.set(name, source);
    if (failure) this.#failures.set(name, failure);
    const refreshFailure = previous.#refreshFailures.get(name);
    if (refreshFailure !== undefined) this.#refreshFailures.set(name, refreshFailure);
    this.history.reuse(name, previous.history);
  }

  /** Opens the stored schema of a remote schema, unless its schema is already open. */
  async openStored(remote: RemoteSchema): Promise<void> {
    if (this.#opened.get(remote.name)) return;
    try {
      const opened = await remote.openStored();
      if (opened) this.#opened.set(remote.name, opened);
    } catch (error) {
      // The line is buffered. If introspection then shows that the metadata is wrong, the metadata is rejected and the
      // line dropped.
      if (error instanceof SourceError)
        this.#log.warn(
          { event: 'stored_schema.ignored', source: remote.name, reason: error.message },
          'stored schema ignored',
        );
      else
        this.#log.error(
          { event: 'stored_schema.ignored', source: remote.name, err: error },
          'stored schema failed to open, introspecting the service',
        );
    }
  }

  /** @returns whether a new generation has to be built. */
  async introspect(remote: RemoteSchema): Promise<boolean> {
    const { name } = remote;
    const before = this.#opened.get(name);
    const wasStored = this.#opened.isStored(name);
    try {
      const opened = await remote.open(before);
      this.#failures.delete(name);
      this.#interrupted.delete(name);
      const isSame = opened === before;
      // The stored schema may have been discarded in the meantime.
      if (!before || !this.#opened.get(name)) this.#opened.set(name, opened);
      else if (!isSame && wasStored) await this.#replaceStored(name, before, opened);
      else if (!isSame) await this.#replace(name, before, opened);
      if (!isSame || wasStored) this.#store(remote, opened);
      this.#refreshFailures.delete(name);
      if (!before || wasStored)
        this.#log.info({ event: 'remote_schema.available', source: name }, 'remote schema available');
      // A previous registry may have opened the remote schema after this registry was activated.
      return !isSame || wasStored || this.isMissing(name);
    } catch (thrown) {
      const error = thrown instanceof SourceError ? thrown : new SourceError([(thrown as Error).message]);
      const detail = { source: name, reason: error.message };
      if (before && !wasStored) {
        if (thrown instanceof CompositionInterrupted) this.#interrupted.add(name);
        // A polled service may fail each time for the same reason.
        if (this.#refreshFailures.get(name) !== error.message)
          this.#log.warn(
            { event: 'remote_schema.refresh_failed', ...detail },
            'introspection failed, keeping the current schema',
          );
        this.#refreshFailures.set(name, error.message);
        return false;
      }
      const changed = this.#failures.get(name)?.message !== error.message;
      if (changed && !this.#stopped)
        this.#log.warn(
          { event: wasStored ? 'remote_schema.stored_schema_used' : 'remote_schema.unavailable', ...detail },
          `remote schema unavailable, ${wasStored ? 'using its stored schema and ' : ''}retrying introspection`,
        );
      this.#failures.set(name, error);
      return changed;
    }
  }

  /** Stops logging failures. */
  stop(): void {
    this.#stopped = true;
  }

  /** Stores a schema in the background. */
  #store(remote: RemoteSchema, opened: OpenedRemote): void {
    const failed = (error: unknown) =>
      this.#log.error({ event: 'stored_schema.write_failed', err: error }, 'storing a schema failed unexpectedly');
    remote.store(opened).catch(failed);
  }

  /** Replaces a stored schema with the introspected one, even if that conflicts with other sources. */
  async #replaceStored(source: string, before: OpenedRemote, opened: OpenedRemote): Promise<void> {
    try {
      await this.#replace(source, before, opened);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#opened.set(source, opened);
    }
  }

  /** @throws SourceError if the changed schema conflicts with other sources. */
  async #replace(source: string, before: OpenedRemote, opened: OpenedRemote): Promise<void> {
    const conflicts = (one: Source, other: Source) => this.#newConflicts(one, other);
    this.#replaced.push({ source, ...(await this.#opened.replace(source, before, opened, conflicts)) });
  }

  /** Compares replaced schemas with their successors. Activation does not wait for this. */
  async reportReplaced(): Promise<void> {
    for (let next = this.#replaced.shift(); next; next = this.#replaced.shift()) await this.#report(next);
  }

  async #report({ source, then, now }: ReplacedSchema): Promise<void> {
    try {
      const found = then && now ? await sourceChanges(then, now) : NO_CHANGES;
      this.history.add(source, found, Date.now());
      const { total, breaking } = found;
      const changes = found.changes.slice(0, MAX_LOGGED_CHANGES);
      this.#log.info(
        { event: 'remote_schema.changed', source, changes, total, breaking },
        'schema of a remote schema changed',
      );
    } catch (error) {
      this.#log.error(
        { event: 'remote_schema.comparison_failed', source, err: error },
        'failed to compare a changed schema',
      );
    }
  }

  /** The conflicts that a source would have with the others if it replaced its previous version. */
  #newConflicts(before: Source, after: Source): readonly string[] {
    const { sources } = this.#current();
    return sources.includes(before)
      ? conflictsWith(
          after,
          sources.filter((source) => source !== before),
        )
      : [];
  }
}
