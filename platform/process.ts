import { keepNextTickFast } from './heap.ts';
import { sourcePositions } from './own-code/index.ts';
import { SettingsError } from './settings/index.ts';

/** A reason not to start that an operator can fix. The message is one line and names the variable to change. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

export interface RunningService {
  /** The port of the service, for its launcher. */
  readonly port: number;
  /** The longest duration of a stop by the settings, in milliseconds. Undefined means less than two minutes. */
  readonly longestStopMs?: number;
  /** Finishes pending work, then frees all resources. */
  stop(): Promise<void>;
}

/** A message of a child process to its launcher, over Node.js's IPC channel. */
export type ChildMessage =
  | { type: 'ready'; port: number }
  /** A message for developers, which is logged at a level that the launcher hides. */
  | { type: 'notice'; text: string };

/**
 * Sends a message to the launcher of this process, if there is one. A launcher that has exited closes the channel, which ends
 * this process. A failed write must not end it earlier, before its requests are answered.
 */
export function tellLauncher(message: ChildMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** The most time that a stop takes in addition to the configured times. */
const STOP_MARGIN_MS = 5_000;
const LONGEST_STOP_MS = 120_000;

/** Returns the time after which a stop counts as failed, in milliseconds. @param service undefined while it starts. */
export function stopDeadlineMs(service: Pick<RunningService, 'longestStopMs'> | undefined): number {
  return Math.max(LONGEST_STOP_MS, service?.longestStopMs ?? 0) + STOP_MARGIN_MS;
}

/**
 * Runs a service as a process. It starts the service, and stops it on SIGTERM, on SIGINT or when its launcher has exited. If
 * the service cannot start, the reason is printed as plain lines on standard error. The signal for `start` is aborted when the
 * process is asked to stop, so that a start that is still waiting can end with a StartError. Exit codes: 0 after a clean stop,
 * 1 if the service could not start, failed, or did not stop in time.
 */
export function runService(name: string, start: (stopping: AbortSignal) => Promise<RunningService>): void {
  keepNextTickFast();
  process.on('uncaughtExceptionMonitor', nameSources);
  let stopping = false;
  const startIsOver = new AbortController();
  const started = start(startIsOver.signal);

  const stop = () => {
    if (stopping) return;
    stopping = true;
    startIsOver.abort();
    const failLate = () => fail(name, new Error('did not stop in time'));
    const deadline = setTimeout(failLate, stopDeadlineMs(undefined)).unref();
    started.then(
      (service) => {
        clearTimeout(deadline);
        setTimeout(failLate, stopDeadlineMs(service)).unref();
        service.stop().then(
          () => process.exit(0),
          (error) => fail(name, error),
        );
      },
      () => {},
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', stop);

  started.then(
    (service) => tellLauncher({ type: 'ready', port: service.port }),
    // A start that was aborted on purpose is not a failure.
    (error) => (stopping && error instanceof StartError ? process.exit(0) : fail(name, error)),
  );
}

/** Maps the stack of an uncaught error before Node.js prints it. An error that is thrown here would be printed instead. */
export function nameSources(error: unknown): void {
  try {
    if (error instanceof Error && error.stack !== undefined) error.stack = sourcePositions()(error.stack);
  } catch {
    // The stack cannot be read or set, such as that of a frozen error. Node.js prints it unchanged.
  }
}

/** Prints why a process cannot continue, and exits with code 1. Only unexpected errors are printed with their stack. */
export function fail(name: string, error: unknown): never {
  for (const line of errorLines(error)) process.stderr.write(`${name}: ${line}\n`);
  process.exit(1);
}

function errorLines(error: unknown): readonly string[] {
  if (error instanceof SettingsError) return error.problems;
  if (error instanceof StartError) return [error.message];
  return [error instanceof Error ? sourcePositions()(error.stack ?? error.message) : String(error)];
}
