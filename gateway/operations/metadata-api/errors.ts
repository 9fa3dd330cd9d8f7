import { GatewayError } from '../../errors.ts';

/** A caller without the role `admin`. The message is Hasura's. */
export function adminOnly(): GatewayError {
  return new GatewayError('access-denied', 'restricted access : admin only', { path: '$.args' });
}

/** A `bulk` without a list of commands, or with too many. */
export function invalidBulk(most: number): GatewayError {
  return new GatewayError('parse-failed', `expected a list of at most ${most} commands`, { path: '$.args' });
}

/** A command with a large result, which must not occur in a bulk. @param path of the command. */
export function notInBulk(path: string): GatewayError {
  return new GatewayError('not-supported', 'this command is not allowed in a bulk', { path });
}

/** JSON that is not a command of the metadata API. @param path of the command in the request. */
export function invalidCommand(path: string): GatewayError {
  return new GatewayError('parse-failed', 'expected an object with the keys "type" and "args"', { path });
}

/** A command about jobs, cron triggers or scheduled events without a database for them. */
export function commandNeedsJobs(): GatewayError {
  return new GatewayError(
    'not-supported',
    'jobs, cron triggers and scheduled events require HASURA_GRAPHQL_METADATA_DATABASE_URL',
    { path: '$.type' },
  );
}

/**
 * An unknown command, such as one that changes Hasura's metadata.
 *
 * @param meant a command with a similar name.
 */
export function unsupportedCommand(meant: string | undefined): GatewayError {
  const hint = meant === undefined ? '' : `did you mean "${meant}"? `;
  return new GatewayError(
    'not-supported',
    `${hint}Supported: reload_metadata, export_metadata, get_inconsistent_metadata, reload_remote_schema, introspect_remote_schema, the commands for cron triggers and scheduled events, bulk, and the commands of docs/insight.md and docs/jobs.md. Metadata is changed by editing its files.`,
    { path: '$.type' },
  );
}

/** A name of no remote schema in the metadata: 400, as in Hasura. */
export function unknownRemoteSchema(): GatewayError {
  return new GatewayError('not-found', 'there is no remote schema with this name', {
    path: '$.args.name',
    status: 400,
  });
}

/** A remote schema that has not been introspected. */
export function remoteSchemaNotIntrospected(): GatewayError {
  return new GatewayError('source-unavailable', 'the remote schema has not been introspected yet', {
    path: '$.args.name',
  });
}
