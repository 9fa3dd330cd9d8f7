export { clientAddress, networkOf } from './client-address.ts';
export { type ListeningServer, type ListenOptions, listen } from './http-server.ts';
export { createLogger, type LogDestination, type Logger, lineWriter } from './logger.ts';
export { type ChildMessage, fail, type RunningService, runService, StartError } from './process.ts';
export { COUNTING_REDIS } from './redis-options.ts';
export { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';
export { readSettings, SettingsError, setting } from './settings.ts';
export { Standby } from './standby.ts';
export { TurnEnd } from './turn-end.ts';
