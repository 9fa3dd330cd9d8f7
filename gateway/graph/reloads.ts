import type { Logger } from '../../platform/index.ts';
import {
  describeProblem,
  foldIgnored,
  loadMetadata,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  metadataWarnings,
} from '../metadata/index.ts';
import type { LiveGraph } from './live-graph.ts';

/** Logs what of metadata is not acted on, and what of it works and is hardly meant. @param knownVariables as in the options. */
export function logMetadataNotes(metadata: Metadata, log: Logger, knownVariables?: ReadonlySet<string>): void {
  const { ignored } = metadata;
  if (ignored.length > 0) log.warn({ ignored: foldIgnored(ignored) }, 'metadata that is not acted on');
  const warnings = metadataWarnings(metadata, knownVariables);
  if (warnings.length > 0) log.warn({ warnings: warnings.map(describeProblem) }, 'metadata that may be a mistake');
}

/** Something besides the graph that follows the metadata. */
export interface Follower {
  /**
   * Gets ready for other metadata.
   *
   * @returns what makes it take effect; that must not fail.
   * @throws MetadataError when it cannot work.
   */
  prepare(metadata: Metadata): () => void;
}

export interface ReloadsOptions {
  /** Where the metadata is. */
  readonly location: string;
  readonly graph: LiveGraph;
  readonly followers: readonly Follower[];
  /** Whether a remote schema without permissions is open to the admin alone. */
  readonly closeRemoteSchemas?: boolean;
  /** The session variables that callers may have; undefined where that is not known. */
  readonly knownVariables?: ReadonlySet<string> | undefined;
  readonly log: Logger;
}

/** Reloads, as those see them who ask for one. */
export type MetadataReloads = Pick<Reloads, 'reload' | 'failure'>;

/** Takes over changed metadata, one change at a time, or keeps what is in force and remembers why. */
export class Reloads {
  /** Since the start. */
  readonly counts = { succeeded: 0, failed: 0 };
  readonly #options: ReloadsOptions;
  #failure: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** A reload that has not begun to read the metadata. Requests that come meanwhile share it. */
  #waiting: { readonly ask: boolean; readonly run: Promise<void> } | undefined;

  constructor(options: ReloadsOptions) {
    this.#options = options;
  }

  /** Why the metadata as it is now is not in force; undefined when it is. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Reads the metadata and puts it in force, after the reloads that were asked for before. Requests that come before it
   * has begun to read share it, so that many edits at once do not queue up.
   *
   * @param reason what asked for it, for the log.
   * @param ask whether remote schemas whose description has not changed are asked for their types again.
   * @throws MetadataError when it cannot work; what was in force stays.
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

  async #reload(reason: string, ask: boolean): Promise<void> {
    const { location, log } = this.#options;
    try {
      const metadata = loadMetadata(location, this.#options);
      for (const takeEffect of await this.#prepare(metadata, ask)) takeEffect();
      this.#failure = undefined;
      this.counts.succeeded++;
      log.info({ reason }, 'the metadata has been reloaded');
      logMetadataNotes(metadata, log, this.#options.knownVariables);
    } catch (error) {
      this.#failure = error as Error;
      this.counts.failed++;
      if (error instanceof MetadataError) {
        const problems = error.problems.map(describeProblem);
        log.error({ reason, problems }, 'the metadata is not valid; what was in force stays');
      } else log.error({ err: error, reason }, 'the reload failed in an unforeseen way; what was in force stays');
      throw error;
    }
  }

  /** Everybody gets ready, so that everything that is wrong is told, and nobody takes over what another one cannot. */
  async #prepare(metadata: Metadata, ask: boolean): Promise<readonly (() => void)[]> {
    const { graph, followers } = this.#options;
    const preparations = [
      ...followers.map((follower) => async () => follower.prepare(metadata)),
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
