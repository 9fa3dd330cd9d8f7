import { readFileSync, statSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { createLogger, StartError } from '../../../../platform/index.ts';
import { ADMIN_ROLE } from '../../../access/session/index.ts';
import { asStartError, MetadataError } from '../../../metadata/index.ts';
import { readUsage } from '../../usage/index.ts';
import { readableGraphSettings } from '../graph-settings.ts';
import { openGraph } from '../open-graph.ts';
import { printUsage } from './print-usage.ts';
import { summarize, type UsageFilter } from './summary.ts';
import { unusedParts } from './unused.ts';

export interface UsageCommandOptions extends UsageFilter {
  /** Usage files, or directories of them. */
  readonly paths: readonly string[];
  /** Leaves out uses that were last seen before this time, in milliseconds since the epoch. */
  readonly since: number | undefined;
  /** A metadata directory or an SDL file whose unused parts are listed. */
  readonly unused: string | undefined;
  /** The directory with the SDL of remote schemas, used instead of introspecting the services. */
  readonly schemas: string | undefined;
  /** The most rows of each table. */
  readonly limit: number;
  readonly json: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly publicRole: string;
}

/**
 * `portico usage`: reports what clients used, combined from several gateways.
 *
 * @throws StartError if a file cannot be read, and with `unused` also for a single unreadable line.
 */
export async function usage(options: UsageCommandOptions, print: (text: string) => void): Promise<void> {
  const recorded = readUsage(options.paths, options.since);
  // As with `portico check --allow-unused`, each of these lines may record a use.
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
    // With problems, missing parts of the schema would not be listed as unused.
    if (problems.length > 0) throw new MetadataError(problems);
    return generation.graphOf(role ?? ADMIN_ROLE).schema;
  } catch (error) {
    throw asStartError(error, `${path}: the graph is not complete:`);
  }
}

function readSchema(path: string): GraphQLSchema {
  try {
    return buildSchema(readFileSync(path, 'utf8'), { assumeValidSDL: true });
  } catch (error) {
    throw new StartError(`${path} is not a schema (${(error as Error).message})`);
  }
}
