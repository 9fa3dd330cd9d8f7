import type { Logger } from '../../platform/index.ts';
import type { Metadata, MetadataProblem } from '../metadata/index.ts';
import {
  type OpenedRemote,
  type RemoteSchema,
  type Source,
  SourceError,
  SourceUnreachable,
  type Surroundings,
} from '../sources/index.ts';
import { conflictsWith } from './conflicts.ts';
import { describedSources } from './described-sources.ts';
import { Generation, type Inconsistency } from './generation.ts';
import { isAlike, OpenedRemotes } from './opened-remotes.ts';
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
  readonly #opened: OpenedRemotes;
  /** Reasons for leaving sources out that are in the log. */
  readonly #told = new Set<string>();
  readonly #failures = new Map<string, SourceError>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Remote schemas that will be asked again. */
  readonly #retried = new Set<string>();
  readonly #onChange: () => void;
  #generation: Generation;
  #keepingFresh = false;
  #stopped = false;

  /**
   * @param onChange is told when there is another generation.
   * @throws MetadataError with everything in the sources' metadata that cannot work, whatever the remotes answer.
   */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger, onChange: () => void = () => {}) {
    this.metadata = metadata;
    this.#surroundings = surroundings;
    this.#log = log;
    this.#onChange = onChange;
    const { remotes, actions } = describedSources(metadata, surroundings);
    this.#remotes = remotes;
    this.#actions = actions;
    this.#opened = new OpenedRemotes(
      remotes.map(({ name }) => name),
      surroundings.publicRole,
    );
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
    const conflicts = this.#generation.conflicts.flatMap(({ source, reason, problems = [{ message: reason }] }) =>
      problems.map((problem) => sourceProblem(this.metadata, source, problem)),
    );
    const { relationshipProblems, authenticationProblems } = this.#generation;
    return [...failures, ...conflicts, ...relationshipProblems, ...authenticationProblems];
  }

  hasOpened(name: string): boolean {
    return this.#opened.isPart(name);
  }

  /**
   * Asks every remote schema for its types, once.
   *
   * @param previous where a source is taken from that is described there in the same words, or why there is none.
   * @param ask whether those are asked again all the same; the previous source then serves where the answer fails.
   */
  async open(previous?: Assembly, ask = true): Promise<void> {
    if (previous) {
      this.#opened.takeOver(previous.#opened);
      for (const reason of previous.#told) this.#told.add(reason);
    }
    await Promise.all(
      this.#remotes.map(async (remote) => {
        if (previous?.isDescribedAlike(remote.name, this.metadata)) this.#takeOver(remote.name, previous);
        if (ask || !this.#isAsked(remote)) await this.#ask(remote);
        if (this.#opened.get(remote.name)?.kind === 'subgraph') await this.#opened.compose();
        // Each as it comes: one that hangs must not keep the others out.
        if (!this.#stopped) this.#regenerate();
        if (this.#keepingFresh) this.#follow(remote);
      }),
    );
    // The last one may be gone.
    await this.#opened.compose();
    if (!this.#stopped) this.#regenerate();
    if (this.#keepingFresh) this.#retryLeft();
  }

  /** From now on, asks those again that did not answer, and those that want to be asked at intervals. */
  keepFresh(): void {
    this.#keepingFresh = true;
    for (const remote of this.#remotes) if (this.#isAsked(remote)) this.#follow(remote);
    this.#retryLeft();
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

  get #areAllAsked(): boolean {
    return this.#remotes.every((remote) => this.#isAsked(remote));
  }

  #isAsked({ name }: RemoteSchema): boolean {
    return this.#opened.get(name) !== undefined || this.#failures.has(name);
  }

  #follow(remote: RemoteSchema): void {
    if (this.#failures.has(remote.name)) this.#retryLater(remote, RETRY_MS.first);
    const { introspection_interval_seconds: interval } = this.#describe(remote.name)?.definition ?? {};
    if (interval !== undefined) this.#askAtIntervals(remote, interval * 1000);
  }

  /** A subgraph that does not go together with the others may be another one soon. */
  #retryLeft(): void {
    for (const remote of this.#remotes)
      if (this.#opened.left.has(remote.name)) this.#retryLater(remote, RETRY_MS.first);
  }

  /** @returns whether the graph is another one now. */
  async #ask(remote: RemoteSchema): Promise<boolean> {
    const before = this.#opened.get(remote.name);
    try {
      const opened = await remote.open();
      this.#failures.delete(remote.name);
      if (before && isAlike(before, opened)) return false;
      if (before) await this.#replace(remote.name, before, opened);
      else this.#opened.set(remote.name, opened);
      if (!before) this.#log.info({ source: remote.name }, 'a source is part of the graph');
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

  /** @throws SourceError when what a source has become does not go together with the others. */
  async #replace(source: string, before: OpenedRemote, opened: OpenedRemote): Promise<void> {
    const conflicts = (one: Source, other: Source) => this.#newConflicts(one, other);
    const { then, now } = await this.#opened.replace(source, before, opened, conflicts);
    const changes = then && now ? await schemaChanges(then.schema, now.schema) : [];
    this.#log.info({ source, changes }, 'the schema of a source has changed');
  }

  /** Conflicts that a source would have with others if it were taken in place of what it was. */
  #newConflicts(before: Source, after: Source): readonly string[] {
    const others = this.#generation.sources.filter((source) => source !== before);
    return this.#generation.sources.includes(before) ? conflictsWith(after, others) : [];
  }

  #retryLater(remote: RemoteSchema, pauseMs: number): void {
    if (this.#retried.has(remote.name)) return;
    this.#retried.add(remote.name);
    this.#later(pauseMs, async () => {
      this.#retried.delete(remote.name);
      const changed = await this.#ask(remote);
      if (this.#opened.get(remote.name)?.kind === 'subgraph') await this.#opened.compose();
      if (changed && !this.#stopped) this.#regenerate();
      const isOut = this.#failures.has(remote.name) || this.#opened.left.has(remote.name);
      if (isOut) this.#retryLater(remote, Math.min(pauseMs * 2, RETRY_MS.most));
      this.#retryLeft();
    });
  }

  #askAtIntervals(remote: RemoteSchema, intervalMs: number): void {
    this.#later(intervalMs, async () => {
      if (this.#opened.get(remote.name) && (await this.#ask(remote)) && !this.#stopped) this.#regenerate();
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

  #regenerate(): void {
    this.#generation = this.#generate();
    this.#onChange();
  }

  #generate(): Generation {
    const sources: Source[] = [];
    const conflicts: Inconsistency[] = [];
    for (const [source, problems] of this.#opened.left)
      conflicts.push({ source, reason: problems.map(({ message }) => message).join('; '), problems });
    // In the order of the metadata, so that who loses a conflict does not depend on who answered first.
    for (const source of [...(this.#actions ? [this.#actions] : []), ...this.#opened.sources]) {
      const reasons = conflictsWith(source, sources);
      if (reasons.length === 0) sources.push(source);
      else conflicts.push({ source: source.members?.[0] ?? source.name, reason: reasons.join('; ') });
    }
    // Subgraphs that need one that has not been asked yet may still find it.
    if (this.#areAllAsked)
      for (const { source, reason } of conflicts.filter((conflict) => !this.#told.has(conflict.reason))) {
        this.#told.add(reason);
        this.#log.error({ source, reason }, 'a source conflicts with another one');
      }
    for (const { name, warning } of sources)
      if (warning !== undefined && !this.#told.has(warning)) {
        this.#told.add(warning);
        this.#log.warn({ source: name }, warning);
      }
    const generation = new Generation({
      metadata: this.metadata,
      sources,
      missing: this.#missing(),
      conflicts,
      publicRole: this.#surroundings.publicRole,
    });
    for (const { message, ...place } of generation.relationshipProblems)
      if (!this.#told.has(message)) {
        this.#told.add(message);
        this.#log.error({ ...place, reason: message }, 'a relationship is not part of the graph');
      }
    for (const { message, ...place } of generation.authenticationProblems)
      if (!this.#told.has(message)) {
        this.#told.add(message);
        this.#log.error({ ...place, reason: message }, 'an authentication field is not public');
      }
    // What a source is granted to the public may take a while to find out, and nothing depends on it.
    if (this.#areAllAsked)
      for (const { source, message } of generation.unmarkedAuthenticationFields)
        if (!this.#told.has(message)) {
          this.#told.add(message);
          this.#log.warn({ source, reason: message }, 'a public field may be an authentication field');
        }
    return generation;
  }

  #missing(): readonly Inconsistency[] {
    return this.#remotes.flatMap(({ name }) => {
      if (this.#opened.isPart(name) || this.#opened.left.has(name)) return [];
      const unasked = this.#opened.get(name) ? 'not composed yet' : 'not asked yet';
      return [{ source: name, reason: this.#failures.get(name)?.message ?? unasked }];
    });
  }
}

/** Failures of a source that are a mistake in its description, rather than a remote that cannot be reached now. */
export function isMistake(error: SourceError): boolean {
  return !(error instanceof SourceUnreachable);
}
