import { buildSchema, introspectionFromSchema } from 'graphql';
import { z } from 'zod';
import { explained, GatewayError } from '../errors.ts';
import type { Inconsistency, LiveGraph, MetadataReloads } from '../graph/index.ts';
import { type Exchange, receiveJson, sendFlatError, sendJson } from '../http/index.ts';
import { describeProblem, exportMetadata, MetadataError } from '../metadata/index.ts';
import type { Authenticator } from '../session/index.ts';
import { ADMIN_ROLE } from '../sources/index.ts';

export interface MetadataApiOptions {
  readonly graph: LiveGraph;
  readonly reloads: MetadataReloads;
  readonly authenticator: Authenticator;
  readonly maxBodyBytes: number;
}

const command = z.object({
  type: z.string(),
  version: z.int().optional(),
  args: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).nullish(),
});

type Command = z.output<typeof command>;

/**
 * Answers `POST /v1/metadata`, for the role `admin`: the commands of Hasura's metadata API that have a meaning where
 * metadata is edited as files.
 */
export function metadataApi(options: MetadataApiOptions): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    try {
      sendJson(exchange, 200, await answer(exchange, options));
    } catch (thrown) {
      if (thrown instanceof MetadataError) return sendInvalid(exchange, thrown);
      sendFlatError(exchange, explained(thrown, exchange));
    }
  };
}

async function answer(exchange: Exchange, options: MetadataApiOptions): Promise<unknown> {
  const session = await options.authenticator.authenticate(exchange.request.headers);
  if (exchange.record) exchange.record.caller = session;
  const { role } = session;
  if (role !== ADMIN_ROLE)
    throw new GatewayError('access-denied', 'restricted access : admin only', { path: '$.args' });
  if (exchange.request.method !== 'POST')
    throw new GatewayError('method-not-allowed', 'Allowed methods: POST', { headers: { allow: 'POST' } });
  const given = readCommand(await receiveJson(exchange, options.maxBodyBytes), '$');
  if (given.type !== 'bulk') return run(given, options);
  if (!Array.isArray(given.args) || given.args.length > MAX_BULK)
    throw new GatewayError('parse-failed', `expected a list of ${MAX_BULK} commands at most`, { path: '$.args' });
  // All are read before any runs. In a bulk there is no other one.
  const commands = given.args.map((one, index) => readCommand(one, `$.args[${index}]`));
  const results: unknown[] = [];
  for (const one of commands) results.push(await run(one, options));
  return results;
}

const MAX_BULK = 100;

/** @throws GatewayError where it is no command. */
function readCommand(value: unknown, path: string): Command {
  const parsed = command.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError('parse-failed', 'expected an object with the keys "type" and "args"', { path });
}

async function run({ type, version, args: given }: Command, options: MetadataApiOptions): Promise<unknown> {
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
    default:
      throw new GatewayError(
        'not-supported',
        'Supported: reload_metadata, export_metadata, get_inconsistent_metadata, reload_remote_schema, introspect_remote_schema, bulk. Metadata is changed by editing its files.',
        { path: '$.type' },
      );
  }
}

/** @throws GatewayError where the metadata has no remote schema of the name. */
function requireRemoteSchema(graph: LiveGraph, name: unknown): string {
  const known = graph.current.metadata.remoteSchemas.find((remote) => remote.name === name);
  if (known) return known.name;
  throw new GatewayError('not-found', 'there is no remote schema of that name', { path: '$.args.name', status: 400 });
}

/** What a remote schema says of itself, before customization and permissions. */
function introspectRemoteSchema({ current }: LiveGraph, name: string): unknown {
  const sdl = current.sources.map((source) => source.sdl?.get(name)).find((text) => text !== undefined);
  if (sdl === undefined || current.missing.some(({ source }) => source === name))
    throw new GatewayError('source-unavailable', 'the remote schema has not said what it is yet', {
      path: '$.args.name',
    });
  return { data: introspectionFromSchema(buildSchema(sdl, { assumeValidSDL: true })) };
}

function inconsistentObject({ source, reason, kind }: Inconsistency) {
  const type = kind === 'relationship' ? 'remote_schema_remote_relationship' : (kind ?? 'remote_schema');
  return { type, name: source, definition: source, reason };
}

/** What is wrong with an edit of the metadata that could not be put in force. */
function pendingProblems(failure: Error | undefined) {
  if (!failure) return [];
  if (!(failure instanceof MetadataError)) return [{ type: 'metadata', name: 'metadata', reason: 'internal error' }];
  return failure.problems.map((problem) => ({
    type: 'metadata',
    name: problem.file,
    reason: describeProblem(problem),
  }));
}

/** The metadata that was asked for cannot be put in force: everything that is wrong with it, for an admin's eyes. */
function sendInvalid(exchange: Exchange, error: MetadataError): void {
  exchange.record?.addError('invalid-configuration');
  sendJson(exchange, 400, {
    path: '$',
    error: 'the metadata is not valid; what was in force stays',
    code: 'invalid-configuration',
    internal: error.problems.map((problem) => ({ ...problem, text: describeProblem(problem) })),
  });
}
