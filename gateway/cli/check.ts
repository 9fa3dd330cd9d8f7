import { existsSync, mkdirSync } from 'node:fs';
import { createLogger } from '../../platform/index.ts';
import type { SchemaChange } from '../graph/index.ts';
import { MetadataError } from '../metadata/index.ts';
import { checkoutDirectory } from './git-ref.ts';
import { type OpenedGraph, type OpenGraphOptions, openGraph, recordSchemas } from './open-graph.ts';
import { printReport } from './print-report.ts';
import { changesBetween, type Report, reportOn } from './report.ts';

export interface CheckOptions {
  readonly location: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
  /** Where the SDL of remote schemas is, to use in place of asking the services. */
  readonly schemas: string | undefined;
  /** Where to write the SDL of remote schemas. */
  readonly record: string | undefined;
  /** A metadata directory or a git reference to compare with. */
  readonly against: string | undefined;
  readonly json: boolean;
}

/**
 * `portico check`: everything that can be known of metadata without serving it.
 *
 * @returns the exit code: 0 when it is valid and breaks nothing, 1 otherwise.
 */
export async function check(options: CheckOptions, print: (text: string) => void): Promise<number> {
  const opening: OpenGraphOptions = {
    environment: options.environment,
    publicRole: options.publicRole,
    recorded: options.schemas,
    // What is wrong is in the report; the log would say it a second time.
    log: createLogger('portico', 'silent'),
  };
  const report = await makeReport(options, opening);
  print(options.json ? JSON.stringify(report, null, 2) : printReport(report));
  const broken = Object.values(report.changes ?? {}).some((changes) => changes.some((change) => change.breaking));
  return report.valid && !broken ? 0 : 1;
}

async function makeReport(options: CheckOptions, opening: OpenGraphOptions): Promise<Report> {
  let graph: OpenedGraph;
  try {
    graph = await openGraph(options.location, opening);
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    return { valid: false, problems: error.problems, sources: [], roles: {}, operations: {}, ignored: [] };
  }
  if (options.record !== undefined) {
    mkdirSync(options.record, { recursive: true });
    recordSchemas(graph.generation, options.record);
  }
  const report = reportOn(graph.generation, options.publicRole, graph.problems);
  if (options.against === undefined) return report;
  const compared = await compare(graph, options.against, options, opening);
  if ('changes' in compared) return { ...report, changes: compared.changes };
  return { ...report, valid: false, problems: [...report.problems, ...compared.problems] };
}

type Comparison =
  | { changes: Readonly<Record<string, readonly SchemaChange[]>> }
  | { problems: MetadataError['problems'] };

async function compare(
  graph: OpenedGraph,
  against: string,
  options: CheckOptions,
  opening: OpenGraphOptions,
): Promise<Comparison> {
  const checkout = existsSync(against) ? undefined : checkoutDirectory(against, options.location);
  if (!checkout && !existsSync(against))
    return { problems: [{ file: against, message: 'is no metadata directory and no git reference that has one' }] };
  try {
    const before = await openGraph(checkout?.path ?? against, opening);
    if (before.problems.length > 0) return { problems: before.problems };
    return { changes: await changesBetween(before.generation, graph.generation, options.publicRole) };
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    return { problems: error.problems };
  } finally {
    checkout?.remove();
  }
}
