import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger };
export type LogDestination = DestinationStream;

/** Field names whose values never reach a log, whatever object they are part of (up to three levels deep). */
const SECRET_FIELDS = [
  'password',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-hasura-admin-secret"]',
];

/**
 * A structured logger: one JSON object a line on standard output, with `level`, `time` (ISO 8601), `service` and `msg`.
 * Code that logs still has to leave secrets out; the redaction here is the net below it.
 */
export function createLogger(service: string, level: string, destination?: LogDestination): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => under(field)),
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

function under(field: string): string[] {
  const dot = field.startsWith('[') ? '' : '.';
  return [field, `*${dot}${field}`, `*.*${dot}${field}`];
}
