import { z } from 'zod';
import { inSlices, inThread, type Metric } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import type { LiveGraph, MetadataReloader } from '../../graph/index.ts';
import { ANY_OTHER_ROLE, checkedRoles, settingsNotes } from '../check/index.ts';
import { GraphOfRole } from './graph.ts';
import { LatestRun } from './latest-run.ts';
import type { MetadataFile, MetadataFileText } from './metadata-files.ts';
import { bounded, MAX_PROBLEMS, pageArguments, pageOfList } from './page.ts';
import { previewChanges } from './preview.ts';
import { problemsOf, reportNow } from './report.ts';
import { roleDifferences } from './role-differences.ts';
import { FiguresOfSources } from './source-figures.ts';
import { describeSources } from './sources.ts';

export interface InsightOptions {
  readonly graph: LiveGraph;
  readonly reloads: Pick<MetadataReloader, 'preview' | 'failure'>;
  /** The location of the metadata. */
  readonly location: string;
  /** Whether changed files are reloaded automatically. */
  readonly isWatched: boolean;
  readonly closeRemoteSchemas: boolean;
  readonly enforceAllowList: boolean;
  readonly publicRole: string;
  readonly knownVariables: ReadonlySet<string> | undefined;
  /** The environment of the process. */
  readonly environment: NodeJS.ProcessEnv;
  /** The directory with recorded usage. Undefined if usage is not recorded. */
  readonly usageDirectory: string | undefined;
  /** The metrics of all workers. */
  readonly measure: () => Promise<readonly Metric[]>;
}

/** The most characters of a name in a search. */
const MAX_NAME = 500;
/** The number of days of usage that breaking changes are checked against. */
const USAGE_DAYS = 30;

const nameArgument = z.string().min(1).max(MAX_NAME);
const noArguments = z.strictObject({});
const SHAPES = {
  portico_get_sources: z.strictObject(pageArguments),
  portico_get_roles: z.strictObject(pageArguments),
  portico_get_graph: z.strictObject({
    ...pageArguments,
    role: nameArgument.default('admin'),
    source: nameArgument.optional(),
    search: nameArgument.optional(),
  }),
  portico_compare_roles: z.strictObject({ ...pageArguments, first: nameArgument, second: nameArgument }),
  portico_get_metadata_files: noArguments,
  portico_get_metadata_file: z.strictObject({ name: nameArgument }),
  portico_get_report: noArguments,
  portico_preview_metadata: noArguments,
};

/**
 * Read-only commands of the metadata API about the gateway's state, for its operator. Expensive work is shared by all
 * concurrent requests and runs in threads or slices. Results are limited in size.
 */
export class Insight {
  readonly types: readonly string[] = Object.keys(SHAPES);
  readonly #options: InsightOptions;
  readonly #metrics: LatestRun<FiguresOfSources>;
  readonly #report: LatestRun<unknown>;
  readonly #preview: LatestRun<unknown>;
  readonly #files: LatestRun<readonly MetadataFile[]>;
  /** Files are read one after another, since each takes a thread. */
  #lastFile: Promise<unknown> = Promise.resolve();
  readonly #waitingFiles = new Map<string, Promise<MetadataFileText | null>>();

  constructor(options: InsightOptions) {
    const { graph, reloads, measure } = options;
    this.#options = options;
    this.#metrics = new LatestRun(async () => new FiguresOfSources(await measure()));
    this.#report = new LatestRun(() =>
      reportNow(graph, reloads, {
        ...options,
        settings: settingsNotes(options.environment, graph.current.metadata.asWritten),
      }),
    );
    this.#preview = new LatestRun(() => previewChanges(options, USAGE_DAYS));
    this.#files = new LatestRun(() => this.#inFilesThread<readonly MetadataFile[]>(undefined));
  }

  /**
   * Runs a command of the metadata API.
   *
   * @returns undefined for a type of command that this class does not handle.
   * @throws GatewayError for invalid arguments and unknown items.
   */
  run(type: string, given: unknown): Promise<unknown> | undefined {
    switch (type) {
      case 'portico_get_sources':
        return this.#sources(read(SHAPES[type], given));
      case 'portico_get_roles':
        return this.#roles(read(SHAPES[type], given));
      case 'portico_get_graph':
        return this.#graph(read(SHAPES[type], given));
      case 'portico_compare_roles':
        return this.#compare(read(SHAPES[type], given));
      case 'portico_get_metadata_files':
        read(SHAPES[type], given);
        return this.#listFiles();
      case 'portico_get_metadata_file':
        return this.#file(read(SHAPES[type], given).name);
      case 'portico_get_report':
        read(SHAPES[type], given);
        return this.#report.get();
      case 'portico_preview_metadata':
        read(SHAPES[type], given);
        return this.#preview.get();
      default:
        return undefined;
    }
  }

  async #sources(page: z.output<(typeof SHAPES)['portico_get_sources']>): Promise<unknown> {
    const figures = await this.#metrics.get();
    const { graph, reloads } = this.#options;
    const { current, problems } = graph;
    return {
      ...pageOfList(describeSources(current, graph, figures), page),
      /** The number of processes whose figures are summed. */
      workers: figures.workers,
      inconsistencies: bounded(
        current.inconsistencies.map(({ source, reason, kind = 'source' }) => ({ name: source, kind, reason })),
        MAX_PROBLEMS,
      ),
      problems: bounded([...problems, ...problemsOf(reloads.failure)], MAX_PROBLEMS),
    };
  }

  async #roles(page: z.output<(typeof SHAPES)['portico_get_roles']>): Promise<unknown> {
    return { ...pageOfList(this.#knownRoles, page), public_role: this.#options.publicRole };
  }

  async #graph({ role, source, search, ...page }: z.output<(typeof SHAPES)['portico_get_graph']>): Promise<unknown> {
    const graph = new GraphOfRole(this.#options.graph.current, this.#knownRole(role));
    const names = pageOfList(await inSlices(graph.typeNames(source, search)), page);
    return { role, ...names, items: graph.describe(names.items) };
  }

  async #compare({ first, second, ...page }: z.output<(typeof SHAPES)['portico_compare_roles']>): Promise<unknown> {
    const { current } = this.#options.graph;
    const differences = await inSlices(
      roleDifferences(current.graphOf(this.#knownRole(first)).schema, current.graphOf(this.#knownRole(second)).schema),
    );
    return { first, second, ...pageOfList(differences, page) };
  }

  get #knownRoles(): readonly string[] {
    const { graph, publicRole } = this.#options;
    return checkedRoles([graph.current.metadata], publicRole);
  }

  /**
   * Maps all roles that the metadata does not name to one, since they share a view. Otherwise each name would build a graph.
   */
  #knownRole(role: string): string {
    return this.#knownRoles.includes(role) ? role : ANY_OTHER_ROLE;
  }

  async #listFiles(): Promise<unknown> {
    return { watched: this.#options.isWatched, files: await this.#files.get() };
  }

  async #file(wanted: string): Promise<MetadataFileText> {
    // Only existing files are queued, so invented names cannot fill the queue.
    if (!(await this.#files.get()).some((file) => file.name === wanted)) throw unknownMetadataFile();
    const waiting = this.#waitingFiles.get(wanted);
    if (waiting) return requireFile(await waiting);
    const run = this.#lastFile.then(() => {
      this.#waitingFiles.delete(wanted);
      return this.#inFilesThread<MetadataFileText | null>(wanted);
    });
    this.#waitingFiles.set(wanted, run);
    this.#lastFile = run.catch(() => {});
    return requireFile(await run);
  }

  #inFilesThread<T>(wanted: string | undefined): Promise<T> {
    const { location, closeRemoteSchemas } = this.#options;
    return inThread('gateway/operations/insight/metadata-files-worker.js', {
      location,
      closeRemoteSchemas,
      name: wanted,
    });
  }
}

function requireFile(found: MetadataFileText | null): MetadataFileText {
  if (found) return found;
  throw unknownMetadataFile();
}

/** @throws GatewayError */
function read<T>(shape: z.ZodType<T>, given: unknown): T {
  const parsed = shape.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  throw invalidArguments(['$.args', ...path.map(String)].join('.'));
}

/** Invalid arguments of a command. @param path of the first invalid one within `args`. */
function invalidArguments(path: string): GatewayError {
  return new GatewayError('parse-failed', 'the arguments do not match the command', { path });
}

/** A file that the metadata is not read from, even if a file of that name exists. */
function unknownMetadataFile(): GatewayError {
  return new GatewayError('not-found', 'the metadata has no file with this name', {
    path: '$.args.name',
    status: 400,
  });
}
