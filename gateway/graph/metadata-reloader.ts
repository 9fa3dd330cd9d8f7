import type { Logger } from '../../platform/index.ts';
import {
  describeProblem,
  foldIgnored,
  loadMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  metadataWarnings,
  unenforcedAllowList,
  withVariablesOnce,
} from '../metadata/index.ts';
import type { Generation } from './generation/index.ts';
import type { LiveGraph } from './live-graph.ts';

/** What notes on metadata depend on besides the metadata. */
export interface MetadataNotesOptions {
  /** The session variables that callers may have; undefined where that is not known. */
  readonly knownVariables?: ReadonlySet<string> | undefined;
  readonly enforceAllowList?: boolean | undefined;
}

/** Logs parts of the metadata that are ignored, and parts that are valid and probably a mistake. */
export function logMetadataNotes(
  metadata: Metadata,
  log: Logger,
  { knownVariables, enforceAllowList = false }: MetadataNotesOptions,
): void {
  const ignored = [...metadata.ignored, ...unenforcedAllowList(metadata, enforceAllowList)];
  if (ignored.length > 0)
    log.warn({ event: 'metadata.ignored', ignored: foldIgnored(ignored) }, 'parts of the metadata have no effect');
  const warnings = metadataWarnings(metadata, knownVariables);
  if (warnings.length > 0)
    log.warn(
      { event: 'metadata.suspicious', warnings: warnings.map(describeProblem) },
      'the metadata may contain a mistake',
    );
}

/** Something besides the graph that depends on the metadata. */
export interface MetadataSubscriber {
  /**
   * Prepares for changed metadata.
   *
   * @returns what makes it take effect; that must not fail.
   * @throws MetadataError when it cannot work.
   */
  prepare(metadata: Metadata): () => void;
}

export interface MetadataReloaderOptions extends MetadataNotesOptions {
  /** Where the metadata is. */
  readonly location: string;
  readonly graph: LiveGraph;
  readonly subscribers: readonly MetadataSubscriber[];
  /** Whether a remote schema without permissions is open to the admin alone. */
  readonly closeRemoteSchemas?: boolean;
  /** Whether there is a database for jobs. */
  readonly hasJobsDatabase?: boolean;
  readonly log: Logger;
}

/** What callers that request a reload need of the reloader. */
export type MetadataReloads = Pick<MetadataReloader, 'reload' | 'failure'>;

/** The metadata on disk beside what is active. */
export interface MetadataPreview {
  readonly metadata: Metadata;
  readonly next: Generation;
  /** What would keep it from being activated. */
  readonly problems: readonly MetadataProblem[];
}

/** Loads and activates changed metadata, one reload at a time; if that fails, keeps the current metadata and the reason. */
export class MetadataReloader {
  /** Since the start. */
  readonly counts = { succeeded: 0, failed: 0 };
  /** Called with the reason of each reload that has succeeded. */
  onReloaded: ((reason: string) => void) | undefined;
  readonly #options: MetadataReloaderOptions;
  #failure: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** A reload that has not begun to read the metadata. Requests that come meanwhile share it. */
  #waiting: { readonly ask: boolean; readonly run: Promise<void> } | undefined;

  constructor(options: MetadataReloaderOptions) {
    this.#options = options;
  }

  /** Why the metadata on disk is not active; undefined when it is. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Reads and activates the metadata, after the reloads that were requested before. Requests that come before it
   * has begun to read share it, so that many edits at once do not queue up.
   *
   * @param reason what requested it, for the log.
   * @param ask whether remote schemas with unchanged metadata are introspected again.
   * @throws MetadataError when it is invalid; the current metadata stays active.
   */
  reload(reason: string, ask: boolean): Promise<void> {
    const waiting = this.#waiting;
    if (waiting && (waiting.ask || !ask)) return waiting.run;
    const run = this.#last.then(() => {
      if (this.#waiting?.run === run) this.#waiting = undefined;
      return this.#reload(reason, ask);
    });
    this.#waiting = { ask, run };
    this.#last = run.catch(() => {});
    return run;
  }

  /**
   * Reads the metadata and makes a graph of it that is not activated, after the reloads that were requested before.
   *
   * @param look what is to be known of it; the graph is released afterwards.
   * @throws MetadataError when it is invalid.
   */
  preview<T>(look: (preview: MetadataPreview) => Promise<T>): Promise<T> {
    const { location, graph, subscribers } = this.#options;
    const run = this.#last.then(() => {
      const metadata = loadMetadata(location, this.#options);
      return graph.preview(metadata, (next, problems) => {
        const others = subscribers.flatMap((subscriber) => problemsOfPreparing(() => subscriber.prepare(metadata)));
        return look({ metadata, next, problems: withVariablesOnce([...others, ...problems]) });
      });
    });
    this.#last = run.then(
      () => {},
      () => {},
    );
    return run;
  }

  async #reload(reason: string, ask: boolean): Promise<void> {
    const { location, log } = this.#options;
    try {
      const metadata = loadMetadata(location, this.#options);
      for (const takeEffect of await this.#prepare(metadata, ask)) takeEffect();
      this.#failure = undefined;
      this.counts.succeeded++;
      log.info({ event: 'metadata.reloaded', reason }, 'metadata reloaded');
      logMetadataNotes(metadata, log, this.#options);
      this.onReloaded?.(reason);
    } catch (error) {
      this.#failure = error as Error;
      this.counts.failed++;
      if (error instanceof MetadataError) {
        const problems = error.problems.map(describeProblem);
        log.error(
          { event: 'metadata.reload_failed', reason, problems },
          'invalid metadata, keeping the current metadata',
        );
      } else
        log.error(
          { event: 'metadata.reload_failed', err: error, reason },
          'reload failed unexpectedly, keeping the current metadata',
        );
      throw error;
    }
  }

  /**
   * Prepares all subscribers and the graph, so that all problems are reported together and none activates what another
   * rejects.
   */
  async #prepare(metadata: Metadata, ask: boolean): Promise<readonly (() => void)[]> {
    const { graph, subscribers } = this.#options;
    const preparations = [
      ...subscribers.map((subscriber) => async () => subscriber.prepare(metadata)),
      () => graph.prepare(metadata, ask),
    ];
    const effects: (() => void)[] = [];
    const problems: MetadataProblem[] = [];
    for (const prepare of preparations)
      try {
        effects.push(await prepare());
      } catch (error) {
        if (!(error instanceof MetadataError)) throw error;
        problems.push(...error.problems);
      }
    if (problems.length > 0) throw new MetadataError(problems);
    return effects;
  }
}

function problemsOfPreparing(prepare: () => void): readonly MetadataProblem[] {
  try {
    prepare();
    return [];
  } catch (error) {
    if (error instanceof MetadataError) return error.problems;
    throw error;
  }
}
