import { buildSchema } from 'graphql';
import { z } from 'zod';
import { type Logger, likelyMeant } from '../../../platform/index.ts';
import { ADMIN_ROLE, type Authenticator, OPERATOR_SCOPE, type Session } from '../../access/session/index.ts';
import { methodNotAllowed, toLoggedError } from '../../errors.ts';
import type { Inconsistency, LiveGraph, MetadataReloads } from '../../graph/index.ts';
import { introspectionOf } from '../../graphql/schemas/index.ts';
import { describeProblem, exportMetadata, MetadataError } from '../../metadata/index.ts';
import { type HttpExchange, receiveJson, sendFlatError, sendJson } from '../../transports/http/index.ts';
import {
  adminOnly,
  commandNeedsJobs,
  invalidBulk,
  invalidCommand,
  notInBulk,
  remoteSchemaNotIntrospected,
  unknownRemoteSchema,
  unsupportedCommand,
} from './errors.ts';

export interface MetadataApiOptions {
  readonly graph: LiveGraph;
  readonly reloads: MetadataReloads;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
  /** Commands of other parts of the gateway by name. Undefined if there is no database for jobs. */
  readonly commands?: ReadonlyMap<string, (args: unknown) => Promise<unknown>> | undefined;
  /** Opens the runner of Portico's read-only commands when the first one is called. */
  readonly insight: () => Promise<InsightCommands>;
  /** Roles that may run these commands in addition to `admin`. */
  readonly insightRoles: readonly string[];
  /** Portico's own commands about jobs. Undefined if there is no database for them. */
  readonly jobCommands?: JobCommandRunner | undefined;
}

/** Commands with which operators list jobs and act on them. */
export interface JobCommandRunner {
  /** @returns undefined for an unknown type. */
  run(
    type: string,
    args: unknown,
    caller: Pick<Session, 'role' | 'variables'> & { readonly isOperator: boolean; readonly log: Logger },
  ): Promise<unknown> | undefined;
}

/** Read-only commands, whose types begin with `portico_`. */
export interface InsightCommands {
  /** The types of all read-only commands. */
  readonly types: readonly string[];
  /** @returns undefined for an unknown type. */
  run(type: string, args: unknown): Promise<unknown> | undefined;
}

const command = z.object({
  type: z.string(),
  version: z.int().optional(),
  args: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).nullish(),
});

type MetadataCommand = z.output<typeof command>;

/**
 * Handles `POST /v1/metadata`: the commands of Hasura's metadata API that apply to metadata in files, and Portico's own
 * commands. The role `admin` may run all of them. Configured roles may run the read-only ones, and platform operators those
 * about jobs.
 */
export function metadataApi(options: MetadataApiOptions): (exchange: HttpExchange) => Promise<void> {
  return async (exchange) => {
    try {
      sendJson(exchange, 200, await answer(exchange, options));
    } catch (thrown) {
      if (thrown instanceof MetadataError) return sendInvalid(exchange, thrown);
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    }
  };
}

async function answer(exchange: HttpExchange, options: MetadataApiOptions): Promise<unknown> {
  const session = await options.authenticator.authenticate(
    exchange.request.headers,
    exchange.clientAddress,
    undefined,
    exchange.span,
  );
  if (exchange.record) exchange.record.caller = session;
  const rights = rightsOf(session, options.insightRoles);
  if (!rights.looks && !rights.operates) throw adminOnly();
  if (exchange.request.method !== 'POST') throw methodNotAllowed('POST');
  const given = readCommand(await receiveJson(exchange, options.maxBodyBytes), '$');
  if (!isAllowed(given.type, rights)) throw adminOnly();
  if (RIGHTS_FOR_JOBS.has(given.type)) return runJobCommand(given, session, rights, exchange, options);
  if (given.type !== 'bulk') return runMetadataCommand(given, options);
  if (!Array.isArray(given.args) || given.args.length > MAX_BULK) throw invalidBulk(MAX_BULK);
  // All commands are read before any runs. A bulk must not contain another bulk or a command with a large result.
  const commands = given.args.map((one, index) => readCommand(one, `$.args[${index}]`));
  const long = commands.findIndex(({ type }) => isOwnCommand(type));
  if (long >= 0) throw notInBulk(`$.args[${long}].type`);
  const results: unknown[] = [];
  for (const one of commands) results.push(await runMetadataCommand(one, options));
  return results;
}

const MAX_BULK = 100;

/** The rights of a caller. */
interface CommandRights {
  readonly isAdmin: boolean;
  /** May run read-only commands. */
  readonly looks: boolean;
  /** May run commands that change jobs. */
  readonly operates: boolean;
}

function rightsOf({ role, scopes }: Session, insightRoles: readonly string[]): CommandRights {
  const isAdmin = role === ADMIN_ROLE;
  return {
    isAdmin,
    looks: isAdmin || insightRoles.includes(role),
    // As in the auth service, the scope makes a platform operator, whatever the role.
    operates: isAdmin || scopes.includes(OPERATOR_SCOPE),
  };
}

/** Portico's own commands about jobs, with the required right. */
const RIGHTS_FOR_JOBS: ReadonlyMap<string, 'look' | 'operate'> = new Map([
  ['portico_get_job_queues', 'look'],
  ['portico_get_jobs', 'look'],
  ['portico_get_job', 'look'],
  ['portico_get_cron_triggers', 'look'],
  ['portico_get_one_off_events', 'look'],
  ['portico_get_event_subscriptions', 'look'],
  ['portico_retry_jobs', 'operate'],
  ['portico_cancel_jobs', 'operate'],
  ['portico_purge_jobs', 'operate'],
]);

function isAllowed(type: string, { isAdmin, looks, operates }: CommandRights): boolean {
  const needed = RIGHTS_FOR_JOBS.get(type);
  if (isAdmin || needed === 'operate') return operates;
  if (needed === 'look') return looks || operates;
  return looks && isOwnCommand(type);
}

async function runJobCommand(
  { type, args }: MetadataCommand,
  { role, variables }: Session,
  { operates: isOperator }: CommandRights,
  { log }: HttpExchange,
  { jobCommands }: MetadataApiOptions,
): Promise<unknown> {
  const run = jobCommands?.run(type, args, { role, variables, isOperator, log });
  if (!run) throw commandNeedsJobs();
  return run;
}

/** Commands that need a database for jobs. */
const COMMANDS_OF_JOBS: ReadonlySet<string> = new Set([
  'create_cron_trigger',
  'delete_cron_trigger',
  'get_cron_triggers',
  'create_scheduled_event',
  'delete_scheduled_event',
  'get_scheduled_events',
  'get_scheduled_event_invocations',
  'get_delivery_invocations',
]);

/** Commands that every gateway has. */
const COMMANDS_OF_METADATA = [
  'reload_metadata',
  'export_metadata',
  'reload_remote_schema',
  'introspect_remote_schema',
  'get_inconsistent_metadata',
  'bulk',
];

/** Longer words would take long to compare, and are not misspelt commands. */
const LONGEST_TYPE = 60;

/** Returns the command with the most similar type. @param ofInsight the read-only commands. */
function meantCommand(type: string, ofInsight: readonly string[]): string | undefined {
  if (type.length > LONGEST_TYPE) return undefined;
  return likelyMeant(type, [...COMMANDS_OF_METADATA, ...COMMANDS_OF_JOBS, ...RIGHTS_FOR_JOBS.keys(), ...ofInsight]);
}

/** Returns whether a command is Portico's own. */
function isOwnCommand(type: string): boolean {
  return type.startsWith('portico_');
}

/** @throws GatewayError if the value is not a command. */
function readCommand(value: unknown, path: string): MetadataCommand {
  const parsed = command.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidCommand(path);
}

async function runMetadataCommand(
  { type, version, args: given }: MetadataCommand,
  options: MetadataApiOptions,
): Promise<unknown> {
  const { graph, reloads } = options;
  const args = Array.isArray(given) ? undefined : given;
  switch (type) {
    case 'reload_metadata': {
      const which = args?.reload_remote_schemas;
      await reloads.reload('the metadata API', which === undefined || which === true || Array.isArray(which));
      const inconsistent = graph.current.inconsistencies.map(inconsistentObject);
      if (inconsistent.length === 0) return { message: 'success', is_consistent: true };
      return { message: 'success', is_consistent: false, inconsistent_objects: inconsistent };
    }
    case 'export_metadata': {
      const metadata = exportMetadata(graph.current.metadata);
      return version === 2 ? { resource_version: 1, metadata } : metadata;
    }
    case 'reload_remote_schema': {
      requireRemoteSchema(graph, args?.name);
      await reloads.reload('the metadata API', true);
      return { message: 'success' };
    }
    case 'introspect_remote_schema':
      return introspectRemoteSchema(graph, requireRemoteSchema(graph, args?.name));
    case 'get_inconsistent_metadata': {
      const objects = [...graph.current.inconsistencies.map(inconsistentObject), ...pendingProblems(reloads.failure)];
      return { is_consistent: objects.length === 0, inconsistent_objects: objects };
    }
    default: {
      const other = options.commands?.get(type);
      if (other) return other(given);
      const insight = isOwnCommand(type) ? await options.insight() : undefined;
      const answered = insight?.run(type, given);
      if (answered) return answered;
      if (COMMANDS_OF_JOBS.has(type)) throw commandNeedsJobs();
      throw unsupportedCommand(meantCommand(type, insight?.types ?? []));
    }
  }
}

/** @throws GatewayError if the metadata has no remote schema of this name. */
function requireRemoteSchema(graph: LiveGraph, name: unknown): string {
  const known = graph.current.metadata.remoteSchemas.find((remote) => remote.name === name);
  if (known) return known.name;
  throw unknownRemoteSchema();
}

/** Returns the introspection result of a remote schema, before customization and permissions. */
function introspectRemoteSchema({ current }: LiveGraph, name: string): unknown {
  const sdl = current.sources.map((source) => source.sdl?.get(name)).find((text) => text !== undefined);
  if (sdl === undefined || current.missing.some(({ source }) => source === name)) throw remoteSchemaNotIntrospected();
  return { data: introspectionOf(buildSchema(sdl, { assumeValidSDL: true })) };
}

function inconsistentObject({ source, reason, kind }: Inconsistency) {
  const type = kind === 'relationship' ? 'remote_schema_remote_relationship' : (kind ?? 'remote_schema');
  return { type, name: source, definition: source, reason };
}

/** Returns the problems of changed metadata that could not be applied. */
function pendingProblems(failure: Error | undefined) {
  if (!failure) return [];
  if (!(failure instanceof MetadataError)) return [{ type: 'metadata', name: 'metadata', reason: 'internal error' }];
  return failure.problems.map((problem) => ({
    type: 'metadata',
    name: problem.file,
    reason: describeProblem(problem),
  }));
}

/** Sends the error for metadata that could not be applied, with all problems. Only for admins. */
function sendInvalid(exchange: HttpExchange, error: MetadataError): void {
  exchange.record?.addError('invalid-configuration');
  sendJson(exchange, 400, {
    path: '$',
    error: 'the metadata is not valid; the previous metadata stays in use',
    code: 'invalid-configuration',
    internal: error.problems.map((problem) => ({ ...problem, text: describeProblem(problem) })),
  });
}
