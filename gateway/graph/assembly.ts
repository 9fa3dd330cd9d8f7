import { printSchema } from 'graphql';
import type { Logger } from '../../platform/index.ts';
import { type Metadata, MetadataError, type MetadataProblem } from '../metadata/index.ts';
import {
  openActions,
  type RemoteSchema,
  remoteSchema,
  type Source,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
  type Surroundings,
} from '../sources/index.ts';
import { conflictsWith } from './conflicts.ts';
import { Generation, type Inconsistency } from './generation.ts';
import { schemaChanges } from './schema-changes.ts';
import { sourceProblem } from './source-problem.ts';

const RETRY_MS = { first: 250, most: 15_000 };

/**
 * The sources of one state of the metadata, while they are opened and for as long as they are served. A remote schema
 * that does not answer is left out and asked again, with growing pauses; one that asks for it is asked whether its
 * schema has changed.
 */
export class Assembly {
  readonly metadata: Metadata;
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  readonly #remotes: readonly RemoteSchema[];
  readonly #actions: Source | undefined;
  readonly #opened = new Map<string, Source>();
  readonly #failures = new Map<string, SourceError>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #generation: Generation;
  #keepingFresh = false;
  #stopped = false;

  /** @throws MetadataError with everything in the sources' metadata that cannot work, whatever the remotes answer. */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger) {
    this.metadata = metadata;
    this.#surroundings = surroundings;
    this.#log = log;
    const problems: MetadataProblem[] = [];
    this.#remotes = metadata.remoteSchemas.flatMap((remote) =>
      attempt(
        () => remoteSchema(remote, surroundings),
        problems,
        (problem) => sourceProblem(metadata, remote.name, problem),
      ),
    );
    this.#actions = attempt(
      () => openActions(metadata, surroundings),
      problems,
      ({ message, path = [] }) => ({ ...metadata.place('actions', path), message }),
    )[0];
    if (problems.length > 0) throw new MetadataError(problems);
    this.#generation = this.#generate();
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** Remote schemas that are not part of the graph, and why. */
  get failures(): ReadonlyMap<string, SourceError> {
    return this.#failures;
  }

  /** Everything that keeps described sources out of the graph. */
  get problems(): readonly MetadataProblem[] {
    const failures = [...this.#failures].flatMap(([name, { problems }]) =>
      problems.map((problem) => sourceProblem(this.metadata, name, problem)),
    );
    const conflicts = this.#generation.conflicts.map(({ source, reason }) =>
      sourceProblem(this.metadata, source, { message: reason }),
    );
    return [...failures, ...conflicts];
  }

  hasOpened(name: string): boolean {
    return this.#opened.has(name);
  }

  /**
   * Asks every remote schema for its types, once.
   *
   * @param previous where a source is taken from that is described there in the same words, or why there is none.
   * @param ask whether those are asked again all the same; the previous source then serves where the answer fails.
   */
  async open(previous?: Assembly, ask = true): Promise<void> {
    await Promise.all(
      this.#remotes.map(async (remote) => {
        if (previous?.isDescribedAlike(remote.name, this.metadata)) this.#takeOver(remote.name, previous);
        if (ask || !this.#isAsked(remote)) await this.#ask(remote);
        // Each as it comes: one that hangs must not keep the others out.
        if (!this.#stopped) this.#generation = this.#generate();
        if (this.#keepingFresh) this.#follow(remote);
      }),
    );
  }

  /** From now on, asks those again that did not answer, and those that want to be asked at intervals. */
  keepFresh(): void {
    this.#keepingFresh = true;
    for (const remote of this.#remotes) if (this.#isAsked(remote)) this.#follow(remote);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Whether `metadata` describes a remote schema in the same words as ours does. */
  isDescribedAlike(name: string, metadata: Metadata): boolean {
    const described = ({ remoteSchemas }: Metadata) => remoteSchemas.find((candidate) => candidate.name === name);
    return JSON.stringify(described(this.metadata)) === JSON.stringify(described(metadata));
  }

  #takeOver(name: string, previous: Assembly): void {
    const source = previous.#opened.get(name);
    const failure = previous.#failures.get(name);
    if (source) this.#opened.set(name, source);
    else if (failure) this.#failures.set(name, failure);
  }

  #describe(name: string) {
    return this.metadata.remoteSchemas.find((remote) => remote.name === name);
  }

  #isAsked({ name }: RemoteSchema): boolean {
    return this.#opened.has(name) || this.#failures.has(name);
  }

  #follow(remote: RemoteSchema): void {
    if (this.#failures.has(remote.name)) this.#retryLater(remote, RETRY_MS.first);
    const { introspection_interval_seconds: interval } = this.#describe(remote.name)?.definition ?? {};
    if (interval !== undefined) this.#askAtIntervals(remote, interval * 1000);
  }

  /** @returns whether the graph is another one now. */
  async #ask(remote: RemoteSchema): Promise<boolean> {
    const before = this.#opened.get(remote.name);
    try {
      const source = await remote.open();
      this.#failures.delete(remote.name);
      if (before && printSchema(before.schema) === printSchema(source.schema)) return false;
      const conflicts = before && this.#newConflicts(before, source);
      if (conflicts && conflicts.length > 0) throw new SourceError(conflicts);
      if (before)
        this.#log.info(
          { source: remote.name, changes: await schemaChanges(before.schema, source.schema) },
          'the schema of a source has changed',
        );
      else this.#log.info({ source: remote.name }, 'a source is part of the graph');
      this.#opened.set(remote.name, source);
      return true;
    } catch (thrown) {
      const error = thrown instanceof SourceError ? thrown : new SourceError([(thrown as Error).message]);
      const detail = { source: remote.name, reason: error.message };
      if (before) {
        this.#log.warn(detail, 'a source cannot be asked for its schema; what it was stays in force');
        return false;
      }
      const changed = this.#failures.get(remote.name)?.message !== error.message;
      if (changed && !this.#stopped)
        this.#log.warn(detail, 'a source is not part of the graph; it is asked until it is');
      this.#failures.set(remote.name, error);
      return changed;
    }
  }

  /** Conflicts that a source would have with others if it were taken in place of what it was. */
  #newConflicts(before: Source, after: Source): readonly string[] {
    const others = this.#generation.sources.filter((source) => source !== before);
    return this.#generation.sources.includes(before) ? conflictsWith(after, others) : [];
  }

  #retryLater(remote: RemoteSchema, pauseMs: number): void {
    this.#later(pauseMs, async () => {
      if ((await this.#ask(remote)) && !this.#stopped) this.#generation = this.#generate();
      if (this.#failures.has(remote.name)) this.#retryLater(remote, Math.min(pauseMs * 2, RETRY_MS.most));
    });
  }

  #askAtIntervals(remote: RemoteSchema, intervalMs: number): void {
    this.#later(intervalMs, async () => {
      if (this.#opened.has(remote.name) && (await this.#ask(remote)) && !this.#stopped)
        this.#generation = this.#generate();
      this.#askAtIntervals(remote, intervalMs);
    });
  }

  #later(delayMs: number, action: () => Promise<void>): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action().catch((error) => this.#log.error({ err: error }, 'following a source failed in an unforeseen way'));
    }, delayMs).unref();
    this.#timers.add(timer);
  }

  #generate(): Generation {
    const sources: Source[] = [];
    const conflicts: Inconsistency[] = [];
    // In the order of the metadata, so that who loses a conflict does not depend on who answered first.
    for (const source of [this.#actions, ...this.#remotes.map((remote) => this.#opened.get(remote.name))]) {
      if (!source) continue;
      const reasons = conflictsWith(source, sources);
      if (reasons.length === 0) sources.push(source);
      else conflicts.push({ source: source.name, reason: reasons.join('; ') });
    }
    const known = this.#generation?.conflicts.map(({ reason }) => reason) ?? [];
    for (const conflict of conflicts)
      if (!known.includes(conflict.reason)) this.#log.error({ ...conflict }, 'a source conflicts with another one');
    return new Generation({
      metadata: this.metadata,
      sources,
      missing: this.#missing(),
      conflicts,
      publicRole: this.#surroundings.publicRole,
    });
  }

  #missing(): readonly Inconsistency[] {
    return this.#remotes
      .filter((remote) => !this.#opened.has(remote.name))
      .map(({ name }) => ({ source: name, reason: this.#failures.get(name)?.message ?? 'not asked yet' }));
  }
}

/** Failures of a source that are a mistake in its description, rather than a remote that cannot be reached now. */
export function isMistake(error: SourceError): boolean {
  return !(error instanceof SourceUnreachable);
}

function attempt<T>(
  open: () => T,
  problems: MetadataProblem[],
  placed: (problem: SourceProblem) => MetadataProblem,
): T[] {
  try {
    return [open()];
  } catch (error) {
    if (error instanceof MetadataError) problems.push(...error.problems);
    else if (error instanceof SourceError) problems.push(...error.problems.map(placed));
    else throw error;
    return [];
  }
}
