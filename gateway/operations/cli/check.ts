import { existsSync } from 'node:fs';
import { atOnce, createLogger, readSettings, SettingsError, setting, settingText } from '../../../platform/index.ts';
import { ADMIN_ROLE, knownSessionVariables } from '../../access/session/index.ts';
import { readConfig } from '../../config.ts';
import { describeProblem, MetadataError, type MetadataProblem } from '../../metadata/index.ts';
import {
  changesBetween,
  checkedRoles,
  reportOn,
  settingsNotes,
  type UsageOfChanges,
  type WeighedChange,
  weighChanges,
} from '../check/index.ts';
import { checkOut } from './git-ref.ts';
import { readableGraphSettings } from './graph-settings.ts';
import { compareWithHasura } from './hasura/compare-with-hasura.ts';
import { type OpenedGraph, type OpenGraphOptions, openGraph, recordSchemas } from './open-graph.ts';
import { type CheckReport, printReport } from './print-report.ts';

export interface CheckOptions {
  readonly location: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
  /** The directory with the SDL of remote schemas, used instead of introspecting the services. */
  readonly schemas: string | undefined;
  /** The directory to write the SDL of remote schemas to. */
  readonly record: string | undefined;
  /** A metadata directory or a git reference to compare with. */
  readonly against: string | undefined;
  /** A running Hasura server to compare each role's schema with. */
  readonly hasura?: string | undefined;
  /** The admin secret of that Hasura server. Defaults to HASURA_GRAPHQL_ADMIN_SECRET. */
  readonly adminSecret?: string | undefined;
  readonly json: boolean;
  /** The usage to check breaking changes against. Undefined if usage is not considered. */
  readonly usage?: UsageOfChanges | undefined;
}

/**
 * `portico check`: reports everything that can be found out about metadata without serving it.
 *
 * @returns the exit code: 0 if the metadata is valid and breaks nothing, 1 otherwise.
 */
export async function check(options: CheckOptions, print: (text: string) => void): Promise<number> {
  const opening: OpenGraphOptions = {
    environment: options.environment,
    publicRole: options.publicRole,
    ...readableGraphSettings(options.environment),
    recorded: options.schemas,
    stored: options.schemas === undefined ? settingText('PORTICO_SCHEMA_DIR', options.environment) : undefined,
    // The report contains all problems, and the log would repeat them.
    log: createLogger('portico', 'silent'),
  };
  const report = withProblems(await makeReport(options, opening), settingsProblems(options.environment));
  print(options.json ? JSON.stringify(report, null, 2) : printReport(report));
  const differences: readonly WeighedChange[] = [...(report.changes ?? []), ...(report.hasura?.differences ?? [])];
  return report.valid && !differences.some(isBreaking) ? 0 : 1;
}

function isBreaking({ breaking, allowed }: WeighedChange): boolean {
  return breaking && allowed !== true;
}

async function makeReport(options: CheckOptions, opening: OpenGraphOptions): Promise<CheckReport> {
  let graph: OpenedGraph;
  try {
    graph = await openGraph(options.location, { ...opening, checksJobs: true });
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    const nothing = {
      sources: [],
      roles: {},
      conditionalFields: {},
      conditionalEndpoints: [],
      authenticationFields: [],
      operations: {},
      persistedDocuments: {},
      hints: [],
      ...settingsNotes(options.environment, undefined),
    };
    return { valid: false, problems: error.problems, ...nothing };
  }
  if (options.record !== undefined) recordSchemas(graph.generation, options.record);
  const report: CheckReport = atOnce(
    reportOn(
      graph.generation,
      {
        publicRole: options.publicRole,
        enforceAllowList: isAllowListEnforced(options.environment),
        knownVariables: sessionVariablesOf(options.environment),
        settings: settingsNotes(options.environment, graph.generation.metadata.asWritten),
      },
      graph.problems,
    ),
  );
  // With problems, missing parts would look like removed ones.
  if (graph.problems.length > 0) return report;
  return withHasura(await withChanges(report, graph, options, opening), graph, options);
}

async function withChanges(
  report: CheckReport,
  graph: OpenedGraph,
  options: CheckOptions,
  opening: OpenGraphOptions,
): Promise<CheckReport> {
  if (options.against === undefined) return report;
  const compared = await compareAgainst(graph, options.against, options, opening);
  return 'changes' in compared ? { ...report, changes: compared.changes } : withProblems(report, compared.problems);
}

async function withHasura(
  report: CheckReport,
  { generation }: OpenedGraph,
  { hasura: url, publicRole, environment, adminSecret }: CheckOptions,
): Promise<CheckReport> {
  if (url === undefined) return report;
  const server = { url, adminSecret: adminSecret ?? secretOf(environment) };
  const { comparison, problems } = await compareWithHasura(generation, publicRole, server);
  return withProblems({ ...report, hasura: comparison }, problems);
}

/** Returns the admin secret from the environment, like Hasura's CLI. */
function secretOf(environment: NodeJS.ProcessEnv): string | undefined {
  try {
    return readSettings({ HASURA_GRAPHQL_ADMIN_SECRET: setting.text().optional() }, environment)
      .HASURA_GRAPHQL_ADMIN_SECRET;
  } catch (error) {
    // An unreadable file is reported with the other settings.
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function isAllowListEnforced(environment: NodeJS.ProcessEnv): boolean {
  try {
    const shape = { HASURA_GRAPHQL_ENABLE_ALLOWLIST: setting.flag(false) };
    return readSettings(shape, environment).HASURA_GRAPHQL_ENABLE_ALLOWLIST;
  } catch (error) {
    // Invalid settings are reported with the others. The stricter value applies meanwhile.
    if (error instanceof SettingsError) return true;
    throw error;
  }
}

function sessionVariablesOf(environment: NodeJS.ProcessEnv): ReadonlySet<string> | undefined {
  try {
    return knownSessionVariables(readConfig(environment).authentication);
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function withProblems(report: CheckReport, problems: readonly MetadataProblem[]): CheckReport {
  if (problems.length === 0) return report;
  return { ...report, valid: false, problems: [...report.problems, ...problems] };
}

/** Returns the problems of settings that are set. Where they are used decides which ones are required. */
function settingsProblems(environment: NodeJS.ProcessEnv): readonly MetadataProblem[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const wrong = error.problems.filter((problem) => !/^\w+ is not set: /.test(problem));
    return wrong.map((message) => ({ file: 'environment', message }));
  }
}

type Comparison = { changes: readonly WeighedChange[] } | { problems: readonly MetadataProblem[] };

async function compareAgainst(
  graph: OpenedGraph,
  against: string,
  options: CheckOptions,
  opening: OpenGraphOptions,
): Promise<Comparison> {
  const { location, schemas } = options;
  if (existsSync(against)) return compareWith(graph, against, against, options, opening);
  const metadata = checkOut(against, location);
  if (!metadata)
    return {
      problems: [{ file: against, message: 'is neither a metadata directory nor a git reference that contains one' }],
    };
  // Recorded schemas next to the metadata may also have changed, so the old ones are checked out.
  const recorded = schemas === undefined ? undefined : checkOut(against, schemas);
  try {
    const then = { ...opening, recorded: recorded?.path ?? opening.recorded };
    return await compareWith(graph, metadata.path, against, options, then);
  } finally {
    metadata.remove();
    recorded?.remove();
  }
}

async function compareWith(
  graph: OpenedGraph,
  location: string,
  name: string,
  { publicRole, usage }: CheckOptions,
  opening: OpenGraphOptions,
): Promise<Comparison> {
  const inOther = (problems: readonly MetadataProblem[]) => ({
    problems: problems.map((problem) => ({
      file: name,
      message: `cannot be compared with: ${describeProblem(problem)}`,
    })),
  });
  try {
    const before = await openGraph(location, opening);
    if (before.problems.length > 0) return inOther(before.problems);
    const changes = await changesBetween(before.generation, graph.generation, publicRole);
    if (!usage) return { changes: changes.map(({ coordinate: _, ...change }) => change) };
    const roles = checkedRoles([before.generation.metadata, graph.generation.metadata], publicRole);
    const { schema } = before.generation.graphOf(ADMIN_ROLE);
    return { changes: weighChanges(changes, usage, { schema, roles }) };
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    return inOther(error.problems);
  }
}
