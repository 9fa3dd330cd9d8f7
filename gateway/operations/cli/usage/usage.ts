import { readFileSync, statSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { createLogger, StartError } from '../../../../platform/index.ts';
import { ADMIN_ROLE } from '../../../access/session/index.ts';
import { describeProblem, MetadataError } from '../../../metadata/index.ts';
import { readUsage } from '../../usage/index.ts';
import { readableGraphSettings } from '../graph-settings.ts';
import { openGraph } from '../open-graph.ts';
import { printUsage } from './print-usage.ts';
import { summarize, type UsageFilter } from './summary.ts';
import { unusedParts } from './unused.ts';

export interface UsageCommandOptions extends UsageFilter {
  /** Directories of usage files, or files. */
  readonly paths: readonly string[];
  /** Uses that were last seen before are left out; in milliseconds since the epoch. */
  readonly since: number | undefined;
  /** A metadata directory or a file of SDL, whose unused parts are listed. */
  readonly unused: string | undefined;
  /** Where the SDL of remote schemas is, to use in place of asking the services. */
  readonly schemas: string | undefined;
  /** Rows of each table. */
  readonly limit: number;
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
}

/**
 * `portico usage`: what clients used, as several gateways have counted it.
 *
 * @throws StartError when something cannot be read; with `unused` a single line of usage too.
 */
export async function usage(options: UsageCommandOptions, print: (text: string) => void): Promise<void> {
  const recorded = readUsage(options.paths, options.since);
  // As `portico check --allow-unused` has it: any of these lines may tell of a use.
  if (options.unused !== undefined && recorded.unreadable > 0)
    throw new StartError(
      `--unused: unreadable usage lines: ${recorded.unreadable}. Any of them may record a use. Without --unused, they are skipped`,
    );
  const summary = summarize(recorded, options);
  const schema = options.unused === undefined ? undefined : await usedSchema(options.unused, options);
  const unused = schema && unusedParts(schema, recorded);
  if (options.json) print(JSON.stringify({ ...summary, ...(unused && { unused }) }, null, 2));
  else print(printUsage(summary, unused, options.limit));
}

async function usedSchema(
  path: string,
  { schemas, environment, publicRole, role }: UsageCommandOptions,
): Promise<GraphQLSchema> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new StartError(`${path} does not exist`);
  if (path.endsWith('.graphql')) return readSchema(path);
  try {
    const { generation, problems } = await openGraph(path, {
      environment,
      publicRole,
      ...readableGraphSettings(environment),
      recorded: schemas,
      log: createLogger('portico', 'silent'),
    });
    // What is missing today would look as if it were not there to be used.
    if (problems.length > 0) throw new MetadataError(problems);
    return generation.graphOf(role ?? ADMIN_ROLE).schema;
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    throw new StartError([`${path}: the graph is not complete:`, ...error.problems.map(describeProblem)].join('\n  '));
  }
}

function readSchema(path: string): GraphQLSchema {
  try {
    return buildSchema(readFileSync(path, 'utf8'), { assumeValidSDL: true });
  } catch (error) {
    throw new StartError(`${path} is not a schema (${(error as Error).message})`);
  }
}
