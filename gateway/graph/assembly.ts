import type { Logger } from '../../platform/index.ts';
import { type Metadata, type MetadataProblem, namedRoles } from '../metadata/index.ts';
import {
  CompositionInterrupted,
  type OpenedRemote,
  type RemoteSchema,
  type Source,
  SourceError,
  SourceUnreachable,
  type Surroundings,
} from '../sources/index.ts';
import { Arrivals } from './arrivals.ts';
import { assembleSources } from './assembled-sources.ts';
import { conflictsWith } from './conflicts.ts';
import { describedSources } from './described-sources.ts';
import { Generation } from './generation.ts';
import { GenerationLog } from './generation-log.ts';
import { isAlike, OpenedRemotes } from './opened-remotes.ts';
import { PendingLog } from './pending-log.ts';
import { sourceChanges } from './source-changes.ts';
import { sourceProblem } from './source-problem.ts';

const RETRY_MS = { first: 250, most: 15_000 };

/**
 * The sources of one state of the metadata, while they are opened and for as long as they are served. A remote schema
 * that does not answer is asked again, with growing pauses; until then it is what its stored schema says, or left out
 * where there is none. One that asks for it is asked whether its schema has changed.
 */
export class Assembly {
  readonly metadata: Metadata;
  readonly #surroundings: Surroundings;
  /** Nothing is said of an assembly that is never served. */
  readonly #log: PendingLog;
  readonly #remotes: readonly RemoteSchema[];
  readonly #actions: Source | undefined;
  readonly #opened: OpenedRemotes;
  readonly #generationLog: GenerationLog;
  readonly #failures = new Map<string, SourceError>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Remote schemas whose change was not taken in because composing was interrupted. */
  readonly #interrupted = new Set<string>();
  /** Remote schemas that will be asked again. */
  readonly #retried = new Set<string>();
  readonly #onChange: () => void;
  /** Sources that have come, while those that come soon after are waited for. */
  readonly #arrivals = new Arrivals(() => this.#takeIn());
  #generation: Generation;
  #keepingFresh = false;
  #composePauseMs = RETRY_MS.first;
  #stopped = false;

  /**
   * @param onChange is told when there is another generation.
   * @throws MetadataError with everything in the sources' metadata that cannot work, whatever the remotes answer.
   */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger, onChange: () => void = () => {}) {
    this.metadata = metadata;
    this.#surroundings = surroundings;
    this.#log = new PendingLog(log);
    this.#generationLog = new GenerationLog(this.#log);
    this.#onChange = onChange;
    const { remotes, actions } = describedSources(metadata, surroundings);
    this.#remotes = remotes;
    this.#actions = actions;
    this.#opened = new OpenedRemotes(
      remotes.map(({ name }) => name),
      surroundings.publicRole,
    );
    this.#generation = this.#generate(undefined);
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** Remote schemas that have not told their types, and why. */
  get failures(): ReadonlyMap<string, SourceError> {
    return this.#failures;
  }

  /** Everything that keeps described sources out of the graph. */
  get problems(): readonly MetadataProblem[] {
    const failures = [...this.#failures].flatMap(([name, { problems }]) => {
      const meanwhile = this.#opened.isStored(name) ? '; a gateway that starts now uses its stored schema' : '';
      return problems.map(({ message, ...problem }) =>
        sourceProblem(this.metadata, name, { ...problem, message: `${message}${meanwhile}` }),
      );
    });
    const conflicts = this.#generation.conflicts.flatMap(({ source, reason, problems = [{ message: reason }] }) =>
      problems.map((problem) => sourceProblem(this.metadata, source, problem)),
    );
    const { relationshipProblems, authenticationProblems, roleProblems } = this.#generation;
    return [...failures, ...conflicts, ...relationshipProblems, ...authenticationProblems, ...roleProblems];
  }

  /** Whether a remote schema has told its types and is part of the graph. */
  isAvailable(name: string): boolean {
    return this.#opened.isPart(name) && !this.#opened.isStored(name);
  }

  /** Whether it is known of every remote schema if it is part of the graph, or why not. */
  get isSettled(): boolean {
    const { left, isComposing } = this.#opened;
    if (isComposing || this.#arrivals.isPending) return false;
    return this.#remotes.every(({ name }) => {
      if (this.#opened.isStored(name)) return this.#failures.has(name);
      return this.#failures.has(name) || left.has(name) || this.#opened.isPart(name);
    });
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
      this.#generationLog.follow(previous.#generationLog);
      for (const { name } of this.#remotes)
        if (previous.isDescribedAlike(name, this.metadata)) this.#takeOver(name, previous);
    }
    const stored = new Map(this.#remotes.map((remote) => [remote, this.#openStored(remote)]));
    const composed = this.#composeStored([...stored.values()]);
    let left = this.#remotes.length;
    const asked = this.#remotes.map(async (remote) => {
      try {
        await stored.get(remote);
        if (ask || !this.#isAsked(remote)) await this.#ask(remote);
        left -= 1;
        // One that hangs must not keep the others out, and each of many that come is no reason to begin anew.
        await this.#arrivals.add(left === 0);
      } finally {
        if (this.#keepingFresh) this.#follow(remote);
      }
    });
    // What fails must neither stay without a handler while another one hangs, nor keep that one from being followed.
    const outcomes = await Promise.allSettled([composed, ...asked]);
    // The last one may be gone.
    if (this.#remotes.length === 0) await this.#arrivals.add(true);
    if (this.#keepingFresh) this.#retryLeft();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** It is served from now on. Asks those again that did not answer, and those that want to be asked at intervals. */
  keepFresh(): void {
    this.#keepingFresh = true;
    this.#log.release();
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
    if (failure) this.#failures.set(name, failure);
  }

  async #openStored(remote: RemoteSchema): Promise<void> {
    if (this.#opened.get(remote.name)) return;
    try {
      const opened = await remote.openStored();
      if (opened) this.#opened.set(remote.name, opened);
    } catch (error) {
      this.#log.error({ source: remote.name, err: error }, 'a stored schema cannot be used; the service is asked');
    }
  }

  /** Puts what is stored in force, all of it together. */
  async #composeStored(stored: readonly Promise<void>[]): Promise<void> {
    await Promise.all(stored);
    if (!this.#remotes.some(({ name }) => this.#opened.isStored(name))) return;
    await this.#arrivals.add(true);
  }

  #describe(name: string) {
    return this.metadata.remoteSchemas.find((remote) => remote.name === name);
  }

  get #areAllAsked(): boolean {
    return this.#remotes.every((remote) => this.#isAsked(remote));
  }

  #isAsked({ name }: RemoteSchema): boolean {
    return (this.#opened.get(name) !== undefined && !this.#opened.isStored(name)) || this.#failures.has(name);
  }

  /** Whether what is in force lists it as missing. */
  #isMissing(name: string): boolean {
    return this.#generation.missing.some(({ source }) => source === name);
  }

  #follow(remote: RemoteSchema): void {
    if (this.#failures.has(remote.name) || this.#interrupted.has(remote.name)) this.#retryLater(remote, RETRY_MS.first);
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
    const { name } = remote;
    const before = this.#opened.get(name);
    const wasStored = this.#opened.isStored(name);
    try {
      const opened = await remote.open();
      this.#failures.delete(name);
      this.#interrupted.delete(name);
      const isSame = before !== undefined && isAlike(before, opened);
      if (isSame) before.availability.isAvailable = true;
      else if (!before) this.#opened.set(name, opened);
      else if (wasStored) await this.#replaceStored(name, before, opened);
      else await this.#replace(name, before, opened);
      if (!isSame || wasStored) this.#store(remote, opened);
      if (!before || wasStored) this.#log.info({ source: name }, 'a source is part of the graph');
      // An assembly that came before may have been the one to find out, too late for what has been put in force since.
      return !isSame || wasStored || this.#isMissing(name);
    } catch (thrown) {
      const error = thrown instanceof SourceError ? thrown : new SourceError([(thrown as Error).message]);
      const detail = { source: name, reason: error.message };
      if (before && !wasStored) {
        if (thrown instanceof CompositionInterrupted) this.#interrupted.add(name);
        this.#log.warn(detail, 'a source cannot be asked for its schema; what it was stays in force');
        return false;
      }
      const changed = this.#failures.get(name)?.message !== error.message;
      if (changed && !this.#stopped)
        this.#log.warn(
          detail,
          wasStored
            ? 'a source is not available, its stored schema is used; it is asked until it answers'
            : 'a source is not part of the graph; it is asked until it is',
        );
      this.#failures.set(name, error);
      return changed;
    }
  }

  /** Nobody waits for it. */
  #store(remote: RemoteSchema, opened: OpenedRemote): void {
    const failed = (error: unknown) => this.#log.error({ err: error }, 'storing a schema failed in an unforeseen way');
    remote.store(opened).catch(failed);
  }

  /** A source whose schema is no longer the stored one is taken as it is, whatever it conflicts with. */
  async #replaceStored(source: string, before: OpenedRemote, opened: OpenedRemote): Promise<void> {
    try {
      await this.#replace(source, before, opened);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#opened.set(source, opened);
    }
  }

  /** @throws SourceError when what a source has become does not go together with the others. */
  async #replace(source: string, before: OpenedRemote, opened: OpenedRemote): Promise<void> {
    const conflicts = (one: Source, other: Source) => this.#newConflicts(one, other);
    const { then, now } = await this.#opened.replace(source, before, opened, conflicts);
    // It is put in force before it is known what is different.
    (then && now ? sourceChanges(then, now) : Promise.resolve([])).then(
      (changes) => this.#log.info({ source, changes }, 'the schema of a source has changed'),
      (error: unknown) => this.#log.error({ source, err: error }, 'what has changed in a schema cannot be told'),
    );
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
      try {
        if (await this.#ask(remote)) await this.#arrivals.add(this.#failures.size === 0);
      } finally {
        const isOut = this.#failures.has(remote.name) || this.#opened.left.has(remote.name);
        if (isOut || this.#interrupted.has(remote.name) || this.#isMissing(remote.name))
          this.#retryLater(remote, Math.min(pauseMs * 2, RETRY_MS.most));
        this.#retryLeft();
      }
    });
  }

  #askAtIntervals(remote: RemoteSchema, intervalMs: number): void {
    this.#later(intervalMs, async () => {
      try {
        if (this.#opened.get(remote.name) && (await this.#ask(remote))) await this.#arrivals.add(true);
      } finally {
        this.#askAtIntervals(remote, intervalMs);
      }
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

  /** Puts a graph of all sources in force that have come. What callers will ask for first is ready then. */
  async #takeIn(): Promise<void> {
    await this.#opened.compose().then(
      () => {
        this.#composePauseMs = RETRY_MS.first;
      },
      (error: unknown) => {
        // The other sources do not need what the subgraphs are composed to.
        this.#log.error(
          { err: error },
          'composing the subgraphs failed; what was composed before stays, and it is tried again',
        );
        this.#later(this.#composePauseMs, () => this.#arrivals.add(true));
        this.#composePauseMs = Math.min(this.#composePauseMs * 2, RETRY_MS.most);
      },
    );
    if (this.#stopped) return;
    const next = this.#generate(this.#generation);
    await next.buildGraphs([...namedRoles(this.metadata), ...this.#generation.builtRoles]);
    if (this.#stopped) return;
    this.#generation = next;
    this.#onChange();
  }

  #generate(previous: Generation | undefined): Generation {
    const { sources, conflicts, missing, outdated } = assembleSources({
      names: this.#remotes.map(({ name }) => name),
      actions: this.#actions,
      opened: this.#opened,
      failures: this.#failures,
      rootTypeNames: this.#surroundings.rootTypeNames,
    });
    this.#forget(outdated);
    const generation = new Generation({
      previous,
      metadata: this.metadata,
      sources,
      missing,
      conflicts,
      publicRole: this.#surroundings.publicRole,
      rootTypeNames: this.#surroundings.rootTypeNames,
      onInvalidRole: (role, error) => this.#generationLog.reportInvalidRole(role, error),
    });
    // Subgraphs that need one that has not been asked yet may still find it.
    this.#generationLog.report(generation, this.#areAllAsked);
    return generation;
  }

  /** Gives up stored schemas that do not go together with what is there, and composes the others without them. */
  #forget(outdated: ReadonlyMap<string, string>): void {
    for (const [source, reason] of outdated) {
      this.#opened.delete(source);
      this.#log.warn({ source, reason }, 'the stored schema of a source is ignored');
    }
    if (outdated.size > 0)
      this.#later(0, async () => {
        await this.#arrivals.add(true);
      });
  }
}

/** Failures of a source that are a mistake in its description, rather than a remote that cannot be reached now. */
export function isMistake(error: SourceError): boolean {
  return !(error instanceof SourceUnreachable);
}
