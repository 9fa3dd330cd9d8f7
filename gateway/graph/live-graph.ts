import { Listeners, type Logger } from '../../platform/index.ts';
import { describeProblem, type Metadata, MetadataError, type MetadataProblem, namedRoles } from '../metadata/index.ts';
import type { Surroundings } from '../sources/index.ts';
import { Assembly, isMistake } from './assembly.ts';
import type { Generation, Inconsistency } from './generation.ts';
import { brokenOperationProblems, brokenOperations } from './saved-operations.ts';
import { sourceProblem } from './source-problem.ts';
import { SourcesInForce } from './sources-in-force.ts';

/** For how long after the start a missing source keeps the gateway from being ready, where nothing else is said. */
const DEFAULT_GRACE_MS = 10_000;

export interface LiveGraphOptions {
  /** For how long after the start a missing source keeps the gateway from being ready. */
  readonly graceMs?: number;
  /** Whether clients may send nothing but what the allow list has: then what it has must be right. */
  readonly enforceAllowList?: boolean;
}

/** The graph that is being served: the one place where a generation takes the place of another. */
export class LiveGraph {
  readonly #surroundings: Surroundings;
  readonly #log: Logger;
  readonly #listeners: Listeners<Generation>;
  readonly #inForce = new SourcesInForce();
  #assembly: Assembly;
  #graceTimer: NodeJS.Timeout | undefined;
  #graceOver = false;
  readonly #graceMs: number;
  readonly #enforceAllowList: boolean;
  /** Whether all that was described at the start has been there, or was known not to be. */
  #hasSettled = false;
  #stopped = false;

  /** @throws MetadataError when the sources that the metadata describes cannot work. */
  constructor(metadata: Metadata, surroundings: Surroundings, log: Logger, options: LiveGraphOptions = {}) {
    this.#graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
    this.#enforceAllowList = options.enforceAllowList ?? false;
    this.#surroundings = surroundings;
    this.#log = log;
    this.#listeners = new Listeners(log);
    this.#assembly = this.#newAssembly(metadata);
  }

  /** The generation that new operations run on. */
  get current(): Generation {
    return this.#assembly.generation;
  }

  /**
   * Whether callers can be sent here: every source is part of the graph or, once the start is some time ago, at least
   * those that let callers log in, and of every other one it is known why it is not.
   */
  get ready(): boolean {
    if (this.current.missing.length === 0) return true;
    // One that comes later is not a reason to send nobody here while it is put in force.
    this.#hasSettled ||= this.#assembly.isSettled;
    if (!this.#graceOver || !this.#hasSettled) return false;
    const { publicRole } = this.#surroundings;
    const forLogin = this.#assembly.metadata.remoteSchemas.filter((remote) =>
      remote.permissions?.some((permission) => permission.role === publicRole),
    );
    return forLogin.every((remote) => this.#assembly.isAvailable(remote.name));
  }

  /**
   * Calls `listener` each time that another generation is in force.
   *
   * @returns what ends that.
   */
  onChange(listener: (current: Generation) => void): () => void {
    return this.#listeners.add(listener);
  }

  #announce(): void {
    this.#inForce.become(this.#stopped ? [] : this.current.sources);
    this.#listeners.notify(this.current);
  }

  #newAssembly(metadata: Metadata): Assembly {
    const assembly: Assembly = new Assembly(metadata, this.#surroundings, this.#log, () => {
      if (assembly === this.#assembly) this.#announce();
    });
    return assembly;
  }

  /** Begins to ask the remote schemas for their types. */
  start(): void {
    this.#graceTimer = setTimeout(() => {
      this.#graceOver = true;
    }, this.#graceMs).unref();
    this.#assembly.keepFresh();
    const failed = (error: unknown) =>
      this.#log.error({ err: error }, 'opening the sources failed in an unforeseen way');
    this.#assembly.open().catch(failed);
  }

  /**
   * Makes a generation of other metadata beside the one in force.
   *
   * @param ask whether remote schemas that are described as before are asked for their types again.
   * @returns what puts it in force. Operations under way finish on the one that they began with.
   * @throws MetadataError when it would not work.
   */
  async prepare(metadata: Metadata, ask: boolean): Promise<() => void> {
    const next = this.#newAssembly(metadata);
    await next.open(this.#assembly, ask);
    const problems = this.#newProblems(next);
    if (problems.length > 0) {
      next.stop();
      this.#inForce.dismiss(next.generation.sources);
      throw new MetadataError(problems);
    }
    await next.generation.buildGraphs(namedRoles(metadata));
    return () => {
      this.#assembly.stop();
      this.#assembly = next;
      if (this.#stopped) next.stop();
      else next.keepFresh();
      this.#announce();
    };
  }

  /** Mistakes, conflicts and saved operations that no longer fit. What is as wrong in force already is no reason against a change of something else. */
  #newProblems({ metadata, failures, generation }: Assembly): readonly MetadataProblem[] {
    const before = this.#assembly;
    const mistakes = [...failures].filter(
      ([name, error]) => isMistake(error) && !(before.isDescribedAlike(name, metadata) && before.failures.has(name)),
    );
    const isKnown = ({ source, reason, problems }: Inconsistency) =>
      before.generation.conflicts.some((one) =>
        // Why subgraphs do not go together is told with lines, which move.
        problems && one.problems ? one.source === source : one.reason === reason,
      );
    const conflicts = generation.conflicts.filter((conflict) => !isKnown(conflict));
    const problemsWithin = (one: Generation) => [
      ...one.relationshipProblems,
      ...one.authenticationProblems,
      ...one.roleProblems,
    ];
    const knownWithin = new Set(problemsWithin(before.generation).map(({ message }) => message));
    const within = problemsWithin(generation).filter(({ message }) => !knownWithin.has(message));
    const brokenBefore = new Set(brokenOperations(before.generation).map(({ query }) => query));
    const broken = brokenOperationProblems(
      brokenOperations(generation).filter(({ query }) => !brokenBefore.has(query)),
      metadata,
      this.#enforceAllowList,
    );
    if (broken.warnings.length > 0)
      this.#log.warn({ operations: broken.warnings.map(describeProblem) }, 'saved operations that no role can run');
    return [
      ...mistakes.flatMap(([name, error]) => error.problems.map((one) => sourceProblem(metadata, name, one))),
      ...conflicts.flatMap(({ source, reason, problems = [{ message: reason }] }) =>
        problems.map((one) => sourceProblem(metadata, source, one)),
      ),
      ...within,
      ...broken.problems,
    ];
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#graceTimer);
    this.#assembly.stop();
    this.#inForce.become([]);
  }
}
