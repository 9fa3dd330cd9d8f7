import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino';
import { sourcePositions } from '../own-code/index.ts';
import { boundedLine } from './bounded-line.ts';
import { errorForLog } from './error-for-log.ts';
import { LineOutput } from './line-output.ts';

export type { Logger };

/** Names of events in log lines. Each process adds its own table by declaration merging. */
export interface LogEvents {
  readonly 'listener.failed': string;
  readonly 'traces.export_failed': string;
}

// Requires every log line to have an event of a table.
declare module 'pino' {
  interface LogFnFields {
    readonly event: keyof LogEvents;
  }
}

export type LogDestination = DestinationStream;

/** Names of fields whose values are never logged, in any object (up to three levels deep). */
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
 * Creates a structured logger that writes one JSON object on each line of standard output, with `level`, `time` (ISO 8601),
 * `service` and `msg`. A line of more than 16 KiB is cut. Code that logs still has to leave out secrets: the redaction is only
 * a second line of defence.
 *
 * Writes to standard output never wait for the reader. Several lines are written together, each within a tenth of a second. The
 * rest is written when the process exits, unless a signal kills it or the reader accepts nothing for two seconds.
 */
export function createLogger(
  service: string,
  level: string,
  to: LogDestination = level === 'silent' ? nowhere : standardOutput(service),
): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    serializers: { err: errorSerializer() },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => under(field)),
      censor: '[redacted]',
    },
  };
  return pino(options, { write: (line) => to.write(boundedLine(line)) });
}

/** Serializes errors with source positions in their stacks. */
function errorSerializer(): (error: unknown) => unknown {
  const withSources = sourcePositions();
  return (error) => {
    const logged = errorForLog(error) as { readonly stack?: unknown } | null | undefined;
    return typeof logged?.stack === 'string' ? { ...logged, stack: withSources(logged.stack) } : logged;
  };
}

/** Silent loggers need no output, and each output has a descriptor and a listener for the end of the process. */
const nowhere: LogDestination = { write: () => {} };

/** How long the last lines wait at exit for a reader that has stopped reading. */
const LAST_WRITE_MS = 2_000;

function standardOutput(service: string): LogDestination {
  const lostLines = (count: number) =>
    `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), service, count, event: 'log.lines_lost', msg: 'log lines lost: standard output did not take them' })}\n`;
  const { descriptor, unblock } = unblockedOutput();
  const output = new LineOutput(descriptor, { lostLines, unblock });
  process.once('exit', () => output.flush(LAST_WRITE_MS));
  return output;
}

/**
 * Returns standard output as a non-blocking file descriptor, since a reader that has stopped reading must keep the process
 * neither from working nor from exiting.
 *
 * A pipe or a terminal is opened again, so that other processes that share it are not affected. This needs /proc and an output
 * that belongs to the process's user. A pipe that cannot be opened becomes non-blocking for all processes that share it, and
 * some of them revert that. So does a socket, which a parent process on Node.js passes. A file stays blocking, and so does a
 * terminal that cannot be opened.
 */
function unblockedOutput(): { descriptor: number; unblock: () => void } {
  const output = fstatSync(1);
  if (output.isFIFO() || output.isCharacterDevice()) {
    try {
      const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
      return { descriptor: openSync('/proc/self/fd/1', flags), unblock: () => {} };
    } catch {
      // Standard output itself is used.
    }
  }
  return { descriptor: 1, unblock: output.isFIFO() || output.isSocket() ? unblockStandardOutput : () => {} };
}

/**
 * Makes the pipe or socket on standard output non-blocking for all processes that share it. Node.js does so once, when the
 * stream is first accessed. It reverts this in every child process that has the same output and exits with it.
 */
function unblockStandardOutput(): void {
  const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): number } | null };
  _handle?.setBlocking?.(false);
}

/**
 * Returns the destination of `log` for complete lines: JSON objects that end with a line break and have an enabled level. They
 * are not redacted.
 */
export function lineWriter(log: Logger): LogDestination {
  return (log as Logger & { [symbols.streamSym]: LogDestination })[symbols.streamSym];
}

function under(field: string): string[] {
  const dot = field.startsWith('[') ? '' : '.';
  return [field, `*${dot}${field}`, `*.*${dot}${field}`];
}
