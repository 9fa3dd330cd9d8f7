import { constants, fstatSync, openSync } from 'node:fs';
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
 * What is left is written when the process exits, unless it is killed or nobody reads for two seconds.
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

/** How long lines that are left at the end wait for a reader that does not read. */
const LAST_WRITE_MS = 2_000;

/**
 * A reader that has stopped reading must not keep the process from ending: a write that waits for it in the kernel would,
 * as the process waits for its threads. So a pipe or a socket is written to without waiting, and at the end for a while only.
 */
function standardOutput(): LogDestination {
  let giveUpAt = Number.POSITIVE_INFINITY;
  let isFull = false;
  const stream = destination({
    dest: unblockedOutput(),
    sync: false,
    minLength: BATCH_BYTES,
    maxWrite: MAX_WRITE,
    periodicFlush: BATCH_MS,
    retryEAGAIN: () => {
      isFull = true;
      return performance.now() < giveUpAt;
    },
  });
  stream.on('write', () => {
    isFull = false;
  });
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    giveUpAt = performance.now() + LAST_WRITE_MS;
    // What found the pipe full is held as under way. Nothing writes it any more, so it is the first of what is left.
    if (isFull) Object.assign(stream, { _writing: false });
    try {
      flushSync();
    } catch {
      // The reader is gone or does not read. There is nowhere to say so.
    }
    giveUpAt = Number.POSITIVE_INFINITY;
  };
  return stream;
}

/**
 * Standard output as a file descriptor on which writing does not wait. A pipe is opened once more, so that nobody who
 * shares it notices; that needs /proc, and a pipe that is the process's own. A socket, which is what a parent on Node
 * gives, is set so by Node as soon as it is asked for the stream. Anything else stays as it is.
 */
function unblockedOutput(): number {
  try {
    const output = fstatSync(1);
    if (output.isSocket()) void process.stdout;
    if (output.isFIFO()) return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // There is standard output itself.
  }
  return 1;
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
