import type { Logger } from '../../../platform/index.ts';
import { type Metadata, type MetadataProblem, namedRoles } from '../../metadata/index.ts';
import type { RemoteSchema, Source, SourceDependencies, SourceError } from '../../sources/index.ts';
import { Generation } from '../generation/index.ts';
import { ActivationBatcher } from './activation-batcher.ts';
import { assembleSources } from './assembled-sources.ts';
import { describedSources } from './described-sources.ts';
import { InconsistencyLog } from './inconsistency-log.ts';
import { IntrospectionPoller } from './introspection-poller.ts';
import { OpenedRemotes } from './opened-remotes.ts';
import { PendingLog } from './pending-log.ts';
import { RemoteIntrospector } from './remote-introspector.ts';
import type { LastSchemaChange } from './schema-history.ts';
import { sourceProblem } from './source-problem.ts';

/**
 * The sources of one state of the metadata. The registry opens them and builds a generation each time one has changed.
 * If a remote schema does not respond, its stored schema is used. Without a stored schema, the remote schema is
 * missing. When the registry is served (`startPolling`), it retries failed introspections and polls at the configured
 * intervals.
 */
export class SourceRegistry {
  readonly metadata: Metadata;
  readonly #dependencies: SourceDependencies;
  /** Writes lines once the registry is served. If the registry is never served, the lines are dropped. */
  readonly #log: PendingLog;
  readonly #inconsistencyLog: InconsistencyLog;
  readonly #remotes: readonly RemoteSchema[];
  #actions: Source | undefined;
  readonly #opened: OpenedRemotes;
  readonly #introspector: RemoteIntrospector;
  readonly #poller: IntrospectionPoller;
  /** Remote schemas that open within a short time are activated together. */
  readonly #activations = new ActivationBatcher(() => this.#activate());
  readonly #onChange: () => void;
  #generation: Generation;
  #isPolling = false;
  #stopped = false;

  /**
   * @param onChange called after each new generation.
   * @throws MetadataError listing every error in the sources' metadata that does not depend on the responses of
   *   remotes.
   */
  constructor(metadata: Metadata, dependencies: SourceDependencies, log: Logger, onChange: () => void = () => {}) {
    this.metadata = metadata;
    this.#dependencies = dependencies;
    this.#log = new PendingLog(log);
    this.#inconsistencyLog = new InconsistencyLog(this.#log);
    this.#onChange = onChange;
    const { remotes, actions } = describedSources(metadata, dependencies);
    this.#remotes = remotes;
    this.#actions = actions;
    this.#opened = new OpenedRemotes(
      remotes.map(({ name }) => name),
      dependencies.publicRole,
      dependencies.compositions,
    );
    this.#introspector = new RemoteIntrospector(this.#opened, () => this.#generation, this.#log);
    this.#poller = this.#newPoller();
    this.#generation = this.#generate(undefined);
  }

  get generation(): Generation {
    return this.#generation;
  }

  /** Remote schemas that have not been introspected successfully, and the reasons. */
  get failures(): ReadonlyMap<string, SourceError> {
    return this.#introspector.failures;
  }

  /** The last change of each remote schema's schema, since it was opened. */
  get schemaChanges(): ReadonlyMap<string, LastSchemaChange> {
    return this.#introspector.history.last;
  }

  /**
   * Remote schemas that could not be introspected again or whose changed schema is unusable, and the reasons. Such
   * remote schemas keep their last schema.
   */
  get refreshFailures(): ReadonlyMap<string, string> {
    return this.#introspector.refreshFailures;
  }

  /** All problems that keep described sources out of the graph. */
  get problems(): readonly MetadataProblem[] {
    const failures = [...this.failures].flatMap(([name, { problems }]) => {
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

  /** Whether a remote schema has been introspected and is part of the graph. */
  isAvailable(name: string): boolean {
    return this.#opened.isPart(name) && !this.#opened.isStored(name);
  }

  /** Whether every remote schema is either part of the graph or left out for a known reason. */
  get isSettled(): boolean {
    const { left, isComposing } = this.#opened;
    if (isComposing || this.#activations.isPending) return false;
    return this.#remotes.every(({ name }) => {
      if (this.#opened.isStored(name)) return this.failures.has(name);
      return this.failures.has(name) || left.has(name) || this.#opened.isPart(name);
    });
  }

  /** Whether `metadata` and the registry's metadata describe a remote schema identically. */
  hasSameDescription(name: string, metadata: Metadata): boolean {
    const described = ({ remoteSchemas }: Metadata) => remoteSchemas.find((candidate) => candidate.name === name);
    return JSON.stringify(described(this.metadata)) === JSON.stringify(described(metadata));
  }

  /**
   * Introspects every remote schema once.
   *
   * @param previous a registry whose results are reused for remote schemas with the same description.
   * @param ask whether reused remote schemas are introspected again. If that fails, the previous result stays in use.
   */
  async open(previous?: SourceRegistry, ask = true): Promise<void> {
    if (previous) this.#reuse(previous);
    const stored = new Map(this.#remotes.map((remote) => [remote, this.#introspector.openStored(remote)]));
    const composed = this.#activateStored([...stored.values()]);
    let left = this.#remotes.length;
    const introspected = this.#remotes.map(async (remote) => {
      const { name } = remote;
      try {
        await stored.get(remote);
        if (ask || !this.#introspector.isIntrospected(name)) await this.#introspector.introspect(remote);
        left -= 1;
        // A remote that hangs must not delay the others. Remotes that respond soon after each other share a generation.
        await this.#activations.add(left === 0);
      } finally {
        if (this.#isPolling) this.#poller.start(name);
      }
    });
    // All are awaited, since a rejection must be handled while another remote hangs and must not end the other's
    // polling.
    const outcomes = await Promise.allSettled([composed, ...introspected]);
    // The metadata may have lost its last remote schema.
    if (this.#remotes.length === 0) await this.#activations.add(true);
    if (this.#isPolling) this.#poller.retryLeft();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Starts to serve the registry: writes logs, retries failed introspections and polls at the configured intervals. */
  startPolling(): void {
    this.#isPolling = true;
    this.#log.release();
    for (const { name } of this.#remotes) if (this.#introspector.isIntrospected(name)) this.#poller.start(name);
    this.#poller.retryLeft();
  }

  stop(): void {
    this.#stopped = true;
    this.#introspector.stop();
    this.#poller.stop();
  }

  #newPoller(): IntrospectionPoller {
    const byName = new Map(this.#remotes.map((remote) => [remote.name, remote]));
    const introspect = async (name: string, isLast: () => boolean) => {
      const remote = byName.get(name);
      if (remote && (await this.#introspector.introspect(remote))) await this.#activations.add(isLast());
    };
    const remotes = {
      needsRetry: (name: string) => this.#introspector.needsRetry(name),
      isMissing: (name: string) => this.#introspector.isMissing(name),
      left: () => [...this.#opened.left.keys()],
      intervalMs: (name: string) => {
        const described = this.metadata.remoteSchemas.find((remote) => remote.name === name);
        const seconds = described?.definition.introspection_interval_seconds;
        return seconds === undefined ? undefined : seconds * 1000;
      },
      // Other failed remotes may respond soon and share the generation.
      retry: (name: string) => introspect(name, () => this.failures.size === 0),
      refresh: async (name: string) => {
        if (this.#opened.get(name)) await introspect(name, () => true);
      },
    };
    return new IntrospectionPoller(remotes, this.#log);
  }

  /** Whether `metadata` and the registry's metadata describe all actions identically, also for inherited roles. */
  #hasSameActions(metadata: Metadata): boolean {
    const described = ({ asWritten, actionsSdl, actions }: Metadata) =>
      JSON.stringify([asWritten.actions, actionsSdl, actions.actions.map(({ permissions }) => permissions)]);
    return described(this.metadata) === described(metadata);
  }

  /** Starts with the actions, compositions, introspections and logged problems of a previous registry. */
  #reuse(previous: SourceRegistry): void {
    // Subscriptions end with the source of their events.
    if (previous.#dependencies === this.#dependencies && previous.#hasSameActions(this.metadata))
      this.#actions = previous.#actions;
    this.#opened.reuse(previous.#opened);
    this.#inconsistencyLog.follow(previous.#inconsistencyLog);
    for (const { name } of this.#remotes)
      if (previous.hasSameDescription(name, this.metadata)) this.#introspector.reuse(name, previous.#introspector);
  }

  /** Activates all stored schemas together. */
  async #activateStored(stored: readonly Promise<void>[]): Promise<void> {
    await Promise.all(stored);
    if (!this.#remotes.some(({ name }) => this.#opened.isStored(name))) return;
    await this.#activations.add(true);
  }

  /** Builds a generation of all opened sources and activates it. */
  async #activate(): Promise<void> {
    await this.#activateOpened();
    void this.#introspector.reportReplaced();
  }

  /**
   * Builds and activates a generation. The graphs that clients are likely to use first are built before its activation.
   */
  async #activateOpened(): Promise<void> {
    await this.#opened.compose().then(
      () => this.#poller.compositionSucceeded(),
      (error: unknown) => {
        // The other sources do not depend on the supergraph.
        this.#log.error(
          { event: 'supergraph.composition_failed', err: error },
          'composition failed unexpectedly, keeping the last supergraph and retrying',
        );
        this.#poller.retryComposition(() => this.#activations.add(true));
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
    const { publicRole, rootTypeNames } = this.#dependencies;
    const { sources, conflicts, missing, outdated } = assembleSources({
      names: this.#remotes.map(({ name }) => name),
      actions: this.#actions,
      opened: this.#opened,
      failures: this.failures,
      rootTypeNames,
    });
    this.#discardStored(outdated);
    const generation = new Generation({
      previous,
      metadata: this.metadata,
      sources,
      missing,
      conflicts,
      publicRole,
      rootTypeNames,
      onInvalidRole: (role, error) => this.#inconsistencyLog.reportInvalidRole(role, error),
    });
    // A subgraph may depend on another one that has not been introspected yet.
    const isComplete = this.#remotes.every(({ name }) => this.#introspector.isIntrospected(name));
    this.#inconsistencyLog.report(generation, isComplete);
    return generation;
  }

  /** Discards stored schemas that conflict with introspected ones. The others are then recomposed without them. */
  #discardStored(outdated: ReadonlyMap<string, string>): void {
    for (const [source, reason] of outdated) {
      this.#opened.delete(source);
      this.#log.warn({ event: 'stored_schema.ignored', source, reason }, 'stored schema ignored');
    }
    if (outdated.size > 0) this.#poller.schedule(0, () => this.#activations.add(true));
  }
}
