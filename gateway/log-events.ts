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
  'request.completed': 'a response was sent, or the client disconnected before',
  'request.failed': 'a request failed unexpectedly; `err` has the cause',
  'response.aborted': 'a response was cut off because the client did not read it',
  'response.failed': 'a response could not be written; `err` has the cause',
  'operation.ended': 'an operation of a WebSocket is over',
  'operation.failed': 'an operation failed unexpectedly; `err` has the cause',
  'operation.unplannable':
    'an operation is refused since it cannot be planned over federated services; `reason` says why',
  'subscription.started': 'a subscription has begun',
  'subscription.failed': 'a subscription failed unexpectedly; `err` has the cause',
  'event_stream.aborted': 'an event stream was cut off because the client did not read it',
  'event_stream.failed': 'an event stream failed unexpectedly; `err` has the cause',
  'websocket.opened': 'a WebSocket was opened',
  'websocket.closed': 'a WebSocket was closed',
  'websocket.refused': 'a WebSocket was refused; `code` has the reason',
  'websocket.aborted': 'a WebSocket was closed because the client did not read or answered no ping',
  'metadata.reloaded': 'other metadata is in use; `reason` says what caused the reload',
  'metadata.reload_failed': 'a reload failed and the current metadata stays in use; `problems` or `err` has the cause',
  'metadata.notification_failed': 'a reload could not be announced to other gateways',
  'metadata.ignored': 'the metadata has parts without effect here',
  'metadata.suspicious': 'the metadata is valid, and part of it is probably a mistake',
  'saved_operations.unusable': 'saved operations that no role can run',
  'console.missing': 'the console is switched on and has not been built; it is not served',
  'settings.without_effect': 'settings of Hasura that have no effect here',
  'settings.different': 'a setting of Hasura means something else here, or its name is unknown',
  'operator_source.unknown':
    'PORTICO_OPERATOR_SOURCE names no remote schema of the metadata; the admin secret makes no platform operator',
  'sources.open_failed': 'opening the sources failed unexpectedly; `err` has the cause',
  'source.warning': 'a source works with a restriction, which `msg` describes',
  'remote_schema.available': 'a remote schema is part of the graph',
  'remote_schema.unavailable': 'a remote schema is not part of the graph; its introspection is retried',
  'remote_schema.stored_schema_used':
    'a remote schema is unavailable and its stored schema is used; its introspection is retried',
  'remote_schema.refresh_failed':
    'a remote schema could not be introspected again, or changed in a way that cannot be used, and keeps its schema; `reason` says why, written once until it changes',
  'remote_schema.changed':
    'the schema of a remote schema changed; `changes` has the first 20 changes, `total` and `breaking` say how many there are',
  'remote_schema.comparison_failed': 'a changed schema could not be compared with the one before',
  'remote_schema.polling_failed': 'polling of a remote schema failed unexpectedly; `err` has the cause',
  'remote_schema.conflict': 'a source conflicts with another one and is left out of the graph',
  'stored_schema.ignored': 'a stored schema is not used',
  'stored_schema.write_failed': 'a schema could not be stored',
  'supergraph.composition_failed':
    'composition failed unexpectedly; the last supergraph stays in use, and it is retried',
  'relationship.invalid': 'a relationship is left out of the graph',
  'authentication_field.not_public':
    'a field that is marked as an authentication field is not granted to the unauthorized role',
  'authentication_field.unmarked': 'a public field may be an authentication field and is not marked as one',
  'graph.role_invalid': 'the permissions of a role make no valid schema together; its operations are refused',
  'upstream.call_failed': 'a call to a source or a service failed; `reason` has the cause',
  'upstream.invalid_response': 'the response of a source is not JSON',
  'upstream.response_truncated': 'a source did not finish its response',
  'upstream.events_lost': 'the connection of a subscription to its source was lost',
  'upstream.exhausted': 'the gateway has no memory or connections left for calls to sources',
  'circuit_breaker.opened':
    'a source failed too often, so calls to it are refused until it answers probes; written once until it closes',
  'circuit_breaker.closed': 'a source is available again after its circuit breaker was open',
  'action.call_failed': 'the webhook of an action answered with an unexpected status',
  'action.invalid_response': 'the response of the webhook of an action is not JSON',
  'action.transform_failed': 'a transform of an action does not fit its values',
  'secret.wrong':
    'a client sent a wrong admin secret, or a wrong secret of a producer of events; `ip` has its address, `retry_after_seconds` how long it has to wait',
  'token_keys.loaded': 'the keys of the token issuer were fetched for the first time',
  'token_keys.unavailable': 'the keys of the token issuer could not be fetched yet; tokens are refused until they are',
  'token_keys.refresh_failed':
    'the keys of the token issuer could not be fetched again, the last ones stay in use and tokens of newer keys are refused; written again once a minute',
  'token_keys.recovered': 'the keys of the token issuer were fetched again after failures',
  'token_keys.unusable': 'the token issuer has keys that verify no token here',
  'clock.skew': 'the clock of the token issuer differs from the gateway by five seconds or more, or agrees again',
  'revocations.fetch_failed': 'revocations could not be fetched twice in a row, the last list stays in use',
  'revocations.recovered': 'revocations were fetched again',
  'auth_hook.call_failed': 'a call to the authentication hook failed; `reason` has the cause',
  'auth_hook.invalid_response': 'the authentication hook answered with an unexpected status or an invalid session',
  'auth_hook.invalid_expiry': 'the authentication hook named an expiry of a session that is not valid',
  'rate_limit.store_unavailable':
    'Redis does not answer; PORTICO_RATE_LIMIT_REDIS_OUTAGE decides whether each process counts for itself or rejects',
  'rate_limit.store_recovered': 'Redis answers again, rate limits are counted there',
  'persisted_queries.store_unavailable': 'Redis does not answer, each process uses its own persisted queries only',
  'persisted_queries.store_recovered': 'Redis answers again, persisted queries are shared',
  'replicas.store_unavailable': 'Redis does not answer, reloads of other gateways are not followed',
  'replicas.store_recovered': 'Redis answers again, reloads of other gateways are followed',
  'metrics.render_failed': 'the metrics could not be rendered; `err` has the cause',
  'metrics.push_failed':
    'metrics could not be pushed to the collector; `reason` has the cause. Written once a minute at most',
  'usage.write_failed': 'usage could not be written to its file; `reason` has the cause, and writing is retried',
  'usage.write_recovered': 'usage is written to its file again',
  'usage.report_failed':
    'the registry did not take a usage report; `reason` has the cause, `lost` how many operations are not reported',
  'usage.report_recovered': 'the registry takes usage reports again; `lost` operations were not reported',
  'usage.export_failed':
    'usage was not accepted by the collector; `reason` has the cause, counting goes on in memory and exporting is retried',
  'usage.export_recovered':
    'usage is exported again; `incomplete` tells whether counts of earlier days were given up meanwhile',
  'listener.failed': 'a subscriber of an internal event failed; `err` has the cause',
  'traces.export_failed':
    'spans could not be exported; `reason` has the cause, `exported`, `dropped` and `failed` count spans since the start. Said once a minute',
  'jobs.migrated': 'the database of jobs has another schema version; `migrations` names what was applied',
  'jobs.schema_newer':
    'the database of jobs has a newer schema, `version`, which this process works with: the newest that it knows is `known`',
  'jobs.partitions_dropped': 'finished jobs older than their retention were dropped; `partitions` names the days',
  'jobs.database_unavailable': 'the database of jobs cannot be used, which is retried; `err` has the cause',
  'jobs.database_unusable':
    'the database of jobs cannot be used until an operator changes something: `code` is `rights-missing`, `login-refused`, `database-missing`, `encoding` (not UTF-8) or `schema-too-new`, `reason` says what',
  'jobs.database_available': 'the database for jobs can be used again',
  'jobs.accept_failed': 'a job was refused, since it could not be committed; `err` has the cause',
  'jobs.result_failed': 'the result of a job could not be read; `err` has the cause',
  'jobs.lease_lost': 'other processes may run the jobs of this one, which are aborted here',
  'jobs.run_failed': 'an attempt of a job failed unexpectedly; `err` has the cause',
  'jobs.dead': 'a job has failed for the last time and is kept for a replay; `reason` says why',
  'jobs.operated':
    'an operator retried, cancelled or purged jobs (`act`): `role`, `user_id` and `tenant_id` say who, `ids` or `queue` which, `changed` how many, `outcome` whether it failed',
  'schedules.planning_failed':
    'the times of cron triggers could not be made jobs, which is retried; `err` has the cause',
  'schedules.planning_recovered': 'the times of cron triggers are made jobs again',
  'schedules.times_skipped':
    'a cron trigger has missed more times than are made up for; those from `since` to `until` are skipped',
  'schedules.log_failed': 'the call of a scheduled webhook could not be written to its log; `err` has the cause',
  'deliveries.log_failed': 'the call of a webhook for an event could not be written to its log; `err` has the cause',
  'schedules.transform_failed': 'a transform of a cron trigger does not fit its values',
  'log.lines_lost':
    'standard output did not take lines, since its disk is full or nothing reads it; `count` says how many are lost',
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

declare module '../platform/logging/logger.ts' {
  interface LogEvents extends Readonly<Record<LogEvent, string>> {}
}
