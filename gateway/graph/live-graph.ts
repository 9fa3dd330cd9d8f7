import { Listeners, type Logger } from '../../platform/index.ts';
import { describeProblem, type Metadata, MetadataError, type MetadataProblem, namedRoles } from '../metadata/index.ts';
import type { Source, SourceDependencies } from '../sources/index.ts';
import {
  brokenOperationProblems,
  brokenOperations,
  type Generation,
  handlerProblems,
  type Inconsistency,
} from './generation/index.ts';
import { isMistake, type LastSchemaChange, SourceRegistry, sourceProblem } from './registry/index.ts';

/** The default for `graceMs`. */
const DEFAULT_GRACE_MS = 10_000;

export interface LiveGraphOptions {
  /** How long after the start a missing source keeps the gateway from being ready, in milliseconds. */
  readonly graceMs?: number;
  /** Whether the allow list is enforced. If so, all of its operations must be valid. */
  readonly enforceAllowList?: boolean;
}

/** Owns the graph that is being served. Only this class replaces generations. */
export class LiveGraph {
  readonly #surroundings: SourceDependencies;
  readonly #log: Logger;
  readonly #listeners: Listeners<Generation>;
  readonly #activeSources = new ActiveSources();
  #registry: SourceRegistry;
  #graceTimer: NodeJS.Timeout | undefined;
  #graceOver = false;
  readonly #graceMs: number;
  readonly #enforceAllowList: boolean;
  /** Whether each source of the start has become available or has failed its introspection once. */
  #hasSettled = false;
  #stopped = false;

  /** @throws MetadataError if the sources that the metadata describes cannot work. */
  constructor(metadata: Metadata, surroundings: SourceDependencies, log: Logger, options: LiveGraphOptions = {}) {
    this.#graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.#enforceAllowList = options.enforceAllowList ?? false;
    this.#surroundings = surroundings;
    this.#log = log;
    this.#listeners = new Listeners(log);
    this.#registry = this.#newRegistry(metadata);
  }

  /** The generation that new operations run on. */
  get current(): Generation {
    return this.#registry.generation;
  }

  /**
   * The problems that keep described sources, relationships and roles out of the current generation, with their
   * locations.
   */
  get problems(): readonly MetadataProblem[] {
    return this.#registry.problems;
  }

  /** The last change of each remote schema's schema, since the gateway opened it. */
  get schemaChanges(): ReadonlyMap<string, LastSchemaChange> {
    return this.#registry.schemaChanges;
  }

  /**
   * The reasons why the last introspection of remote schemas failed. Such remote schemas keep their schema, which may
   * be outdated.
   */
  get refreshFailures(): ReadonlyMap<string, string> {
    return this.#registry.refreshFailures;
  }

  /**
   * Whether the gateway is ready, which means that every source is part of the graph. After the grace period, the
   * gateway is also ready when all sources with public fields are part of the graph and the introspection of every
   * other source has failed.
   */
  get ready(): boolean {
    if (this.current.missing.length === 0) return true;
    // A source that is opened later must not make the gateway unready while the source is activated.
    this.#hasSettled ||= this.#registry.isSettled;
    if (!this.#graceOver || !this.#hasSettled) return false;
    const { publicRole } = this.#surroundings;
    const forLogin = this.#registry.metadata.remoteSchemas.filter((remote) =>
      remote.permissions?.some((permission) => permission.role === publicRole),
    );
    return forLogin.every((remote) => this.#registry.isAvailable(remote.name));
  }

  /**
   * Calls `listener` after each activation of a generation.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: (current: Generation) => void): () => void {
    return this.#listeners.add(listener);
  }

  #announce(): void {
    this.#activeSources.become(this.#stopped ? [] : this.current.sources);
    this.#listeners.notify(this.current);
  }

  #newRegistry(metadata: Metadata): SourceRegistry {
    const registry: SourceRegistry = new SourceRegistry(metadata, this.#surroundings, this.#log, () => {
      if (registry === this.#registry) this.#announce();
    });
    return registry;
  }

  /** Starts to introspect the remote schemas. */
  start(): void {
    this.#graceTimer = setTimeout(() => {
      this.#graceOver = true;
    }, this.#graceMs).unref();
    this.#registry.startPolling();
    const failed = (error: unknown) =>
      this.#log.error({ event: 'sources.open_failed', err: error }, 'opening the sources failed unexpectedly');
    this.#registry.open().catch(failed);
  }

  /**
   * Builds a generation of other metadata without activating it.
   *
   * @param ask whether remote schemas with unchanged metadata are introspected again.
   * @returns a function that activates the generation. Running operations finish on their own generation.
   * @throws MetadataError if the generation would not work.
   */
  async prepare(metadata: Metadata, ask: boolean): Promise<() => void> {
    const next = this.#newRegistry(metadata);
    await next.open(this.#registry, ask);
    const { problems, warnings } = this.#newProblems(next);
    if (warnings.length > 0)
      this.#log.warn(
        { event: 'saved_operations.unusable', operations: warnings.map(describeProblem) },
        'saved operations that no role can run',
      );
    if (problems.length > 0) {
      next.stop();
      this.#activeSources.dismiss(next.generation.sources);
      throw new MetadataError(problems);
    }
    await next.generation.buildGraphs(namedRoles(metadata));
    return () => {
      this.#registry.stop();
      this.#registry = next;
      if (this.#stopped) next.stop();
      else next.startPolling();
      this.#announce();
    };
  }

  /**
   * Builds a generation of other metadata for inspection. The generation is never activated, nothing is logged, and
   * everything that was opened for it is released.
   *
   * @param look called with the generation and the problems that would prevent its activation.
   * @throws MetadataError if the sources that the metadata describes cannot work.
   */
  async preview<T>(
    metadata: Metadata,
    look: (next: Generation, problems: readonly MetadataProblem[]) => Promise<T>,
  ): Promise<T> {
    const next = this.#newRegistry(metadata);
    try {
      await next.open(this.#registry, false);
      await next.generation.buildGraphs(namedRoles(metadata));
      return await look(next.generation, this.#newProblems(next).problems);
    } finally {
      next.stop();
      this.#activeSources.dismiss(next.generation.sources);
    }
  }

  /**
   * Lists mistakes, conflicts and saved operations that have become invalid or that no role can run. Problems that the
   * active generation already has do not prevent other changes.
   */
  #newProblems({ metadata, failures, generation }: SourceRegistry): {
    readonly problems: readonly MetadataProblem[];
    readonly warnings: readonly MetadataProblem[];
  } {
    const before = this.#registry;
    const mistakes = [...failures].filter(
      ([name, error]) => isMistake(error) && !(before.hasSameDescription(name, metadata) && before.failures.has(name)),
    );
    const isKnown = ({ source, reason, problems }: Inconsistency) =>
      before.generation.conflicts.some((one) =>
        // Composition errors of subgraphs name lines, which change with unrelated edits.
        problems && one.problems ? one.source === source : one.reason === reason,
      );
    const conflicts = generation.conflicts.filter((conflict) => !isKnown(conflict));
    const problemsWithin = (one: Generation) => [
      ...one.relationshipProblems,
      ...one.authenticationProblems,
      ...one.roleProblems,
      ...handlerProblems(one),
    ];
    const knownWithin = new Set(problemsWithin(before.generation).map(({ message }) => message));
    const within = problemsWithin(generation).filter(({ message }) => !knownWithin.has(message));
    const brokenBefore = new Set(brokenOperations(before.generation).map(({ query }) => query));
    const broken = brokenOperationProblems(
      brokenOperations(generation).filter(({ query }) => !brokenBefore.has(query)),
      metadata,
      this.#enforceAllowList,
    );
    const problems = [
      ...mistakes.flatMap(([name, error]) => error.problems.map((one) => sourceProblem(metadata, name, one))),
      ...conflicts.flatMap(({ source, reason, problems = [{ message: reason }] }) =>
        problems.map((one) => sourceProblem(metadata, source, one)),
      ),
      ...within,
      ...broken.problems,
    ];
    return { problems, warnings: broken.warnings };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#graceTimer);
    this.#registry.stop();
    this.#activeSources.become([]);
  }
}

/**
 * The sources on which new operations run. Generations share sources, so only sources whose own state has changed are
 * notified.
 */
class ActiveSources {
  #sources: ReadonlySet<Source> = new Set();

  /** Notifies the sources that are activated and those that are replaced. */
  become(sources: readonly Source[]): void {
    const before = this.#sources;
    this.#sources = new Set(sources);
    for (const source of this.#sources) if (!before.has(source)) source.setActive?.(true);
    for (const source of before) if (!this.#sources.has(source)) source.setActive?.(false);
  }

  /** Releases the resources of opened sources that will not be activated. */
  dismiss(sources: readonly Source[]): void {
    for (const source of sources) if (!this.#sources.has(source)) source.setActive?.(false);
  }
}
