import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, type Logger, pino, stdTimeFunctions, symbols } from 'pino';
import { sourcePositions } from '../own-code/index.ts';
import { boundedLine } from './bounded-line.ts';
import { errorForLog } from './error-for-log.ts';
import { LineOutput } from './line-output.ts';

export type { Logger };

/** Names of events in log lines. Each process adds its own table to these, by declaration merging. */
export interface LogEvents {
  readonly 'listener.failed': string;
  readonly 'traces.export_failed': string;
}

// Every log line has an event of a table: the compiler refuses one without.
declare module 'pino' {
  interface LogFnFields {
    readonly event: keyof LogEvents;
  }
}

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
 * A line of more than 16 KiB is cut.
 * Code that logs still has to leave secrets out; the redaction is a second line of defence.
 *
 * Writes to standard output never wait for its reader. Several lines are written together, each within a tenth of a second.
 * The rest is written when the process exits, unless a signal kills it or the reader takes nothing for two seconds.
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

/** Errors with the places of sources in their stacks. */
function errorSerializer(): (error: unknown) => unknown {
  const withSources = sourcePositions();
  return (error) => {
    const logged = errorForLog(error) as { readonly stack?: unknown } | null | undefined;
    return typeof logged?.stack === 'string' ? { ...logged, stack: withSources(logged.stack) } : logged;
  };
}

/** Silent loggers need no output: each output has a descriptor and a listener for the end of the process. */
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
 * Standard output as a non-blocking file descriptor: a reader that has stopped reading must keep the process neither from
 * working nor from exiting. A pipe or a terminal is opened again, so that other processes that share it are not affected;
 * that needs /proc, and one that belongs to the process's user. A pipe that cannot be opened, and a socket, which is what a
 * parent on Node gives, are made non-blocking for all processes that share them, which some of them revert. A file stays
 * blocking, and so does a terminal that cannot be opened.
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
 * Makes the pipe or socket on standard output non-blocking for all processes that share it. Node does so once, when the
 * stream is first accessed, and reverts it in every process that it starts with that output and that exits with it.
 */
function unblockStandardOutput(): void {
  const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): number } | null };
  _handle?.setBlocking?.(false);
}

/**
 * The destination of `log`, for lines that are already complete: one JSON object each, ended by a line break, of a level
 * that is logged. The redaction does not apply to them.
 */
export function lineWriter(log: Logger): LogDestination {
  return (log as Logger & { [symbols.streamSym]: LogDestination })[symbols.streamSym];
}

function under(field: string): string[] {
  const dot = field.startsWith('[') ? '' : '.';
  return [field, `*${dot}${field}`, `*.*${dot}${field}`];
}
