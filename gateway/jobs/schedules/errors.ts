import { GatewayError } from '../../errors.ts';

/** A command that would change a metadata file. */
export function cronTriggersAreFiles(): GatewayError {
  return new GatewayError(
    'not-supported',
    'cron triggers are defined in cron_triggers.yaml; edit that file and reload the metadata. To call a webhook once, use create_scheduled_event',
    { path: '$.type' },
  );
}

/** Arguments of another shape. @param path where in the arguments. */
export function invalidArguments(message: string, path: readonly PropertyKey[]): GatewayError {
  return new GatewayError('parse-failed', message, { path: ['$.args', ...path.map(String)].join('.') });
}

/** A webhook that a scheduled event may not call. */
export function webhookNotAllowed(): GatewayError {
  return new GatewayError(
    'access-denied',
    'scheduled events can call only origins from the metadata or from PORTICO_SCHEDULED_EVENT_ORIGINS',
    { path: '$.args.webhook', status: 400 },
  );
}

/** A webhook or headers that cannot be used as they are. @param message names no value of the environment. */
export function unusableWebhook(message: string, argument: 'webhook' | 'headers'): GatewayError {
  return new GatewayError('validation-failed', message, { path: `$.args.${argument}` });
}

/** No cron trigger or scheduled event of that name or id. */
export function noSuchSchedule(what: 'cron trigger' | 'scheduled event', argument: string): GatewayError {
  return new GatewayError('not-found', `the ${what} does not exist`, { path: `$.args.${argument}`, status: 400 });
}

/** The database does not answer. */
export function scheduleStoreUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'scheduled events cannot be read or changed at the moment', {
    headers: { 'retry-after': '5' },
  });
}
