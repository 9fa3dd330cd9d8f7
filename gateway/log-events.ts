/**
 * Every `event` of this process's log lines, with its meaning; docs/logs.md lists them. Dashboards and alerts depend on these
 * names, so a name never gets another meaning.
 */
export const LOG_EVENTS = {
  'service.ready': 'the gateway, or one of its workers, accepts requests',
  'workers.ready': 'all workers accept requests',
  'worker.died': 'a worker ended unexpectedly (`how`: signal or exit code) and is restarted after `pause_ms`',
  'worker.replaced': 'a worker accepts requests in place of one that died',
  'worker.killed': 'a worker did not stop in time and was killed',
  'request.completed': 'a response was sent, or the client disconnected earlier',
  'request.failed': 'a request failed unexpectedly; `err` has the cause',
  'response.aborted': 'a response was cut off because the client did not read it',
  'response.failed': 'a response could not be written; `err` has the cause',
  'operation.ended': 'an operation on a WebSocket ended',
  'operation.failed': 'an operation failed unexpectedly; `err` has the cause',
  'operation.unplannable':
    'an operation is rejected because it cannot be planned over federated services; `reason` says why',
  'subscription.started': 'a subscription started',
  'subscription.failed': 'a subscription failed unexpectedly; `err` has the cause',
  'event_stream.aborted': 'an event stream was cut off because the client did not read it',
  'event_stream.failed': 'an event stream failed unexpectedly; `err` has the cause',
  'websocket.opened': 'a WebSocket was opened',
  'websocket.closed': 'a WebSocket was closed',
  'websocket.refused': 'a WebSocket was refused; `code` has the reason',
  'websocket.aborted':
    'a WebSocket was closed because the client did not read its messages or did not respond to a ping',
  'metadata.reloaded': 'new metadata is in use; `reason` says what caused the reload',
  'metadata.reload_failed': 'a reload failed and the current metadata stays in use; `problems` or `err` has the cause',
  'metadata.notification_failed': 'a reload could not be announced to other gateways',
  'metadata.ignored': 'parts of the metadata have no effect',
  'metadata.suspicious': 'the metadata is valid but probably contains a mistake',
  'saved_operations.unusable': 'saved operations that no role can run',
  'console.missing': 'the console is enabled but is not built, so it is not served',
  'settings.without_effect': 'settings of Hasura that have no effect in Portico',
  'settings.different': 'a setting of Hasura has a different meaning in Portico, or its name is unknown',
  'operator_source.unknown':
    'PORTICO_OPERATOR_SOURCE is not the name of a remote schema; the admin secret does not grant the rights of a platform operator',
  'sources.open_failed': 'opening the sources failed unexpectedly; `err` has the cause',
  'source.warning': 'a source works with a restriction, which `msg` describes',
  'remote_schema.available': 'a remote schema is part of the graph',
  'remote_schema.unavailable': 'a remote schema is not part of the graph; its introspection is retried',
  'remote_schema.stored_schema_used':
    'a remote schema is unavailable and its stored schema is used; its introspection is retried',
  'remote_schema.refresh_failed':
    'a remote schema could not be introspected again or has an unusable new schema, so its current schema stays in use; `reason` says why. Written once until the reason changes',
  'remote_schema.changed':
    'the schema of a remote schema changed; `changes` has the first 20 changes, `total` and `breaking` say how many there are',
  'remote_schema.comparison_failed': 'a changed schema could not be compared with the previous schema',
  'remote_schema.polling_failed': 'polling of a remote schema failed unexpectedly; `err` has the cause',
  'remote_schema.conflict': 'a source conflicts with another source and is not part of the graph',
  'stored_schema.ignored': 'a stored schema is not used',
  'stored_schema.write_failed': 'a schema could not be stored',
  'supergraph.composition_failed': 'composition failed unexpectedly and is retried; the last supergraph stays in use',
  'relationship.invalid': 'a relationship is not part of the graph',
  'authentication_field.not_public':
    'a field that is marked as an authentication field is not granted to the unauthorized role',
  'authentication_field.unmarked': 'a public field may be an authentication field but is not marked as one',
  'graph.role_invalid': 'the permissions of a role do not form a valid schema; operations of this role are rejected',
  'upstream.call_failed': 'a call to a source or a service failed; `reason` has the cause',
  'upstream.invalid_response': 'the response of a source is not JSON',
  'upstream.response_truncated': 'a source did not complete its response',
  'upstream.events_lost': 'the connection of a subscription to its source was lost',
  'upstream.exhausted': 'the gateway has no memory or connections left for calls to sources',
  'circuit_breaker.opened':
    'a source failed too often, so it is not called until it responds to probes. Written once until the circuit breaker closes',
  'circuit_breaker.closed': 'a source is available again after its circuit breaker was open',
  'action.call_failed': 'the webhook of an action returned an unexpected status',
  'action.invalid_response': 'the response of the webhook of an action is not JSON',
  'action.transform_failed': 'a transform of an action failed for its values',
  'handler.failed':
    'a handler that runs saved operations failed; `step`, `code` and `reason` say where and why. Errors of services and of `fail` steps are not logged',
  'handler.compensated':
    'steps of a chain were undone because a later step failed; `steps` names them, `step` the failed one',
  'handler.compensation_failed':
    'a step of a chain could not be undone, so its effect remains; `step` and `code` say which and why',
  'secret.wrong':
    'a client sent a wrong admin secret, or a wrong secret of a producer of events; `ip` is the address of the client, `retry_after_seconds` how long it has to wait',
  'token_keys.loaded': 'the keys of the token issuer were fetched for the first time',
  'token_keys.unavailable':
    'the keys of the token issuer could not be fetched yet; tokens are rejected until the keys are available',
  'token_keys.refresh_failed':
    'the keys of the token issuer could not be fetched again; the last keys stay in use, and tokens signed with newer keys are rejected. Written at most once a minute',
  'token_keys.recovered': 'the keys of the token issuer were fetched again after failures',
  'token_keys.unusable': 'the token issuer has keys that cannot verify any token',
  'clock.skew':
    'the clock of the token issuer differs from the clock of the gateway by five seconds or more, or agrees with it again',
  'revocations.fetch_failed': 'revocations could not be fetched twice in a row; the last list stays in use',
  'revocations.recovered': 'revocations were fetched again',
  'auth_hook.call_failed': 'a call to the authentication hook failed; `reason` has the cause',
  'auth_hook.invalid_response': 'the authentication hook returned an unexpected status or an invalid session',
  'auth_hook.invalid_expiry': 'the authentication hook returned an invalid session expiry',
  'rate_limit.store_unavailable':
    'Redis does not respond; PORTICO_RATE_LIMIT_REDIS_OUTAGE decides whether each process counts separately or rejects requests',
  'rate_limit.store_recovered': 'Redis responds again, and rate limits are counted there',
  'persisted_queries.store_unavailable': 'Redis does not respond, and each process uses only its own persisted queries',
  'persisted_queries.store_recovered': 'Redis responds again, and persisted queries are shared',
  'replicas.store_unavailable': 'Redis does not respond, and reloads of other gateways are not followed',
  'replicas.store_recovered': 'Redis responds again, and reloads of other gateways are followed',
  'metrics.render_failed': 'the metrics could not be rendered; `err` has the cause',
  'metrics.push_failed':
    'metrics could not be pushed to the collector; `reason` has the cause. Written at most once a minute',
  'usage.write_failed': 'usage could not be written to its file; `reason` has the cause, and writing is retried',
  'usage.write_recovered': 'usage is written to its file again',
  'usage.report_failed':
    'the registry did not accept a usage report; `reason` has the cause, `lost` the number of operations that are not reported',
  'usage.report_recovered': 'the registry accepts usage reports again; `lost` operations were not reported',
  'usage.export_failed':
    'usage was not accepted by the collector; `reason` has the cause. Counting continues in memory, and the export is retried',
  'usage.export_recovered':
    'usage is exported again; `incomplete` says whether counts of earlier days were lost in the meantime',
  'listener.failed': 'a subscriber of an internal event failed; `err` has the cause',
  'traces.export_failed':
    'spans could not be exported; `reason` has the cause, `exported`, `dropped` and `failed` count spans since the start. Written at most once a minute',
  'jobs.migrated': 'the database for jobs was migrated; `migrations` names the applied migrations',
  'jobs.schema_newer':
    'the database for jobs has a newer schema, `version`, with which this process is compatible; `known` is the newest version that it knows',
  'jobs.partitions_dropped': 'finished jobs older than their retention were dropped; `partitions` names the days',
  'jobs.database_unavailable': 'the database for jobs cannot be used; this is retried. `err` has the cause',
  'jobs.database_unusable':
    'the database for jobs cannot be used until an operator fixes a problem: `code` is `rights-missing`, `login-refused`, `database-missing`, `encoding` (not UTF-8) or `schema-too-new`, `reason` says what',
  'jobs.database_available': 'the database for jobs can be used again',
  'jobs.accept_failed': 'a job was rejected because it could not be committed; `err` has the cause',
  'jobs.result_failed': 'the result of a job could not be read; `err` has the cause',
  'jobs.lease_lost': 'other processes may take over the jobs of this process, which aborts them',
  'jobs.run_failed': 'an attempt of a job failed unexpectedly; `err` has the cause',
  'jobs.dead': 'a job has failed for the last time and is kept so that it can be retried; `reason` says why',
  'jobs.operated':
    'an operator retried, cancelled or purged jobs (`act`): `role`, `user_id` and `tenant_id` say who, `ids` or `queue` which, `changed` how many, `outcome` whether it failed',
  'jobs.progress_lost':
    'a report of the progress of a job was accepted with 202 and could not be stored; `job` and `queue` say of which',
  'schedules.planning_failed': 'jobs for cron triggers could not be created; this is retried. `err` has the cause',
  'schedules.planning_recovered': 'jobs for cron triggers are created again',
  'schedules.times_skipped': 'a cron trigger has missed too many runs; the runs from `since` to `until` are skipped',
  'schedules.log_failed': 'the call of a scheduled webhook could not be written to its log; `err` has the cause',
  'deliveries.log_failed': 'the call of a webhook for an event could not be written to its log; `err` has the cause',
  'schedules.transform_failed': 'a transform of a cron trigger failed for its values',
  'log.lines_lost':
    'standard output did not accept lines because its disk is full or nothing reads it; `count` says how many lines are lost',
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

declare module '../platform/logging/logger.ts' {
  interface LogEvents extends Readonly<Record<LogEvent, string>> {}
}
