import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions, symbols } from 'pino';

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
 *
 * Standard output is written to without waiting for it, several lines at a time and each in a tenth of a second at most.
 * What is left is written when the process exits, unless it is killed.
 */
export function createLogger(service: string, level: string, to: LogDestination = standardOutput()): Logger {
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
  return pino(options, to);
}

const BATCH_BYTES = 3_584;
/** What a pipe takes as one piece (PIPE_BUF on Linux), so that lines of several processes do not mix. */
const MAX_WRITE = 4_096;
const BATCH_MS = 100;

function standardOutput(): LogDestination {
  return destination({ dest: 1, sync: false, minLength: BATCH_BYTES, maxWrite: MAX_WRITE, periodicFlush: BATCH_MS });
}

/**
 * Where `log` writes to, for lines that are complete already: one JSON object each, ended by a line break, of whose level
 * it is known that it is logged. The redaction does not see them.
 */
export function lineWriter(log: Logger): LogDestination {
  return (log as Logger & { [symbols.streamSym]: LogDestination })[symbols.streamSym];
}

function under(field: string): string[] {
  const dot = field.startsWith('[') ? '' : '.';
  return [field, `*${dot}${field}`, `*.*${dot}${field}`];
}
