import { GatewayError } from '../../errors.ts';

/** Reports a command that would change a metadata file. */
export function cronTriggersAreFiles(): GatewayError {
  return new GatewayError(
    'not-supported',
    'cron triggers are defined in cron_triggers.yaml; edit that file and reload the metadata. To call a webhook once, use create_scheduled_event',
    { path: '$.type' },
  );
}

/** Reports invalid arguments. @param path of the invalid value in the arguments. */
export function invalidArguments(message: string, path: readonly PropertyKey[]): GatewayError {
  return new GatewayError('parse-failed', message, { path: ['$.args', ...path.map(String)].join('.') });
}

/** Reports a webhook that a scheduled event may not call. */
export function webhookNotAllowed(): GatewayError {
  return new GatewayError(
    'access-denied',
    'scheduled events can call only origins from the metadata or from PORTICO_SCHEDULED_EVENT_ORIGINS',
    { path: '$.args.webhook', status: 400 },
  );
}

/** Reports an unusable webhook or unusable headers. @param message contains no value of the environment. */
export function unusableWebhook(message: string, argument: 'webhook' | 'headers'): GatewayError {
  return new GatewayError('validation-failed', message, { path: `$.args.${argument}` });
}

/** Reports an unknown cron trigger or scheduled event. */
export function noSuchSchedule(what: 'cron trigger' | 'scheduled event', argument: string): GatewayError {
  return new GatewayError('not-found', `the ${what} does not exist`, { path: `$.args.${argument}`, status: 400 });
}

/** Reports that the database does not respond. */
export function scheduleStoreUnavailable(): GatewayError {
  return new GatewayError('service-unavailable', 'scheduled events cannot be read or changed at the moment', {
    headers: { 'retry-after': '5' },
  });
}
