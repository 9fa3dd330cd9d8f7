export { logJson, logText } from './log-text.ts';
export { createLogger, type LogDestination, type Logger, lineWriter } from './logger.ts';
