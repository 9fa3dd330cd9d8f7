import type { Logger } from '../../platform/index.ts';
import {
  describeProblem,
  foldIgnored,
  type HandlerLimits,
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

/** The settings for notes on metadata. */
export interface MetadataNotesOptions {
  /** The session variables that sessions may have. Undefined if they are unknown. */
  readonly knownVariables?: ReadonlySet<string> | undefined;
  readonly enforceAllowList?: boolean | undefined;
}

/** Logs parts of the metadata that are ignored or that are valid but probably a mistake. */
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

/** A component that depends on the metadata, besides the graph. */
export interface MetadataSubscriber {
  /**
   * Prepares for changed metadata.
   *
   * @returns a function that applies the change and must not fail
   * @throws MetadataError if the metadata cannot work.
   */
  prepare(metadata: Metadata): () => void;
}

export interface MetadataReloaderOptions extends MetadataNotesOptions {
  /** The location of the metadata. */
  readonly location: string;
  readonly graph: LiveGraph;
  readonly subscribers: readonly MetadataSubscriber[];
  /** Whether only the admin can access a remote schema without permissions. */
  readonly closeRemoteSchemas?: boolean;
  /** Whether a database for jobs is configured. */
  readonly hasJobsDatabase?: boolean;
  /** The limits of handlers that run saved operations. */
  readonly handlerLimits?: HandlerLimits;
  readonly log: Logger;
}

/** The part of the reloader that components need to request a reload. */
export type MetadataReloads = Pick<MetadataReloader, 'reload' | 'failure'>;

/** The metadata on disk and the generation built from it. */
export interface MetadataPreview {
  readonly metadata: Metadata;
  readonly next: Generation;
  /** The problems that would prevent its activation. */
  readonly problems: readonly MetadataProblem[];
}

/**
 * Loads and activates changed metadata, one reload at a time. If a reload fails, the reloader keeps the current
 * metadata and the reason.
 */
export class MetadataReloader {
  /** The number of reloads since the start. */
  readonly counts = { succeeded: 0, failed: 0 };
  /** Called with the reason for each successful reload. */
  onReloaded: ((reason: string) => void) | undefined;
  readonly #options: MetadataReloaderOptions;
  #failure: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** A reload that has not read the metadata yet. Requests that arrive before it does share this reload. */
  #waiting: { readonly ask: boolean; readonly run: Promise<void> } | undefined;

  constructor(options: MetadataReloaderOptions) {
    this.#options = options;
  }

  /** The reason why the metadata on disk is not active. Undefined if it is active. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Reads and activates the metadata after all earlier reloads. Requests that arrive before the metadata is read share
   * the reload, so that many edits at once cause few reloads.
   *
   * @param reason the cause of the request, for the log.
   * @param ask whether remote schemas with unchanged metadata are introspected again.
   * @throws MetadataError if the metadata is invalid. The current metadata then stays active.
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
   * Reads the metadata after all earlier reloads and builds a graph that is not activated.
   *
   * @param look inspects the preview. The graph is released afterwards.
   * @throws MetadataError if the metadata is invalid.
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
   * Prepares all subscribers and the graph. This way all problems are reported together, and none activates metadata
   * that another rejects.
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
