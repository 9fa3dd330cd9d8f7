export { boundedText, boundedTexts } from './bounded-text.ts';
export { logJson, logText } from './log-text.ts';
export { createLogger, type LogDestination, type Logger, lineWriter } from './logger.ts';
