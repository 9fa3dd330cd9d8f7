import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino';
import { LineOutput } from './line-output.ts';

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
 * Standard output is written to without waiting for its reader, several lines at a time and each in a tenth of a second at
 * most. What is left is written when the process exits, unless a signal kills it or nobody reads for two seconds.
 */
export function createLogger(service: string, level: string, to: LogDestination = standardOutput(service)): Logger {
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

/** How long lines that are left at the end wait for a reader that does not read. */
const LAST_WRITE_MS = 2_000;

function standardOutput(service: string): LogDestination {
  const lostLines = (count: number) =>
    `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), service, count, msg: 'lines of the log were lost: nobody took them' })}\n`;
  const { descriptor, unblock } = unblockedOutput();
  const output = new LineOutput(descriptor, { lostLines, unblock });
  process.once('exit', () => output.flush(LAST_WRITE_MS));
  return output;
}

/**
 * Standard output as a file descriptor on which writing does not wait: a reader that has stopped reading must not keep
 * the process from working, nor from ending. A pipe or a terminal is opened once more, so that nobody who shares it
 * notices; that needs /proc, and one that is the process's own. A pipe that cannot be opened, and a socket, which is what
 * a parent on Node gives, are set so for all who share them, which some of them undo. A file stays as it is, and a
 * terminal that cannot be opened.
 */
function unblockedOutput(): { descriptor: number; unblock: () => void } {
  const output = fstatSync(1);
  if (output.isFIFO() || output.isCharacterDevice()) {
    try {
      const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
      return { descriptor: openSync('/proc/self/fd/1', flags), unblock: () => {} };
    } catch {
      // There is standard output itself.
    }
  }
  return { descriptor: 1, unblock: output.isFIFO() || output.isSocket() ? unblockStandardOutput : () => {} };
}

/**
 * Sets the pipe or socket on standard output so that nobody who shares it waits for its reader. Node does so once, as soon
 * as it is asked for the stream, and undoes it in every process that it starts with that output or that ends with it.
 */
function unblockStandardOutput(): void {
  const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): number } | null };
  _handle?.setBlocking?.(false);
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
