import { keepNextTickFast } from './heap.ts';
import { sourcePositions } from './own-code/index.ts';
import { SettingsError } from './settings/index.ts';

/** A reason not to start that an operator can act on. Its message is one line and names the variable to change. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

export interface RunningService {
  /** Where it listens, for the launcher that started it. */
  readonly port: number;
  /** How long its settings let a stop take, in milliseconds; undefined: less than two minutes. */
  readonly longestStopMs?: number;
  /** Finishes what is in flight, then frees all resources. */
  stop(): Promise<void>;
}

/** What a child process sends to the launcher that started it, over node's IPC channel. */
export type ChildMessage =
  | { type: 'ready'; port: number }
  /** What a developer waits to see, which is logged at a level that the launcher leaves out. */
  | { type: 'notice'; text: string };

/**
 * Tells the launcher that started this process, if one did. One that has gone ends this process by closing the channel: a failed
 * write would end it before its requests have been answered.
 */
export function tellLauncher(message: ChildMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** What a stop takes beyond the times that are set, at most. */
const STOP_MARGIN_MS = 5_000;
const LONGEST_STOP_MS = 120_000;

/** After how long a stop counts as failed, in milliseconds. @param service undefined while it starts. */
export function stopDeadlineMs(service: Pick<RunningService, 'longestStopMs'> | undefined): number {
  return Math.max(LONGEST_STOP_MS, service?.longestStopMs ?? 0) + STOP_MARGIN_MS;
}

/**
 * Runs one service as a process: starts it, stops it on SIGTERM, SIGINT or when the launcher that started it has exited,
 * and prints the reason when it cannot start as plain lines on standard error. The signal that `start` gets is aborted
 * when the process is asked to stop: a start that still waits for something can then end with a StartError.
 * Exit codes: 0 after a clean stop, 1 if it could not start, failed, or did not stop in time.
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
    // A start that was aborted on purpose is no failure.
    (error) => (stopping && error instanceof StartError ? process.exit(0) : fail(name, error)),
  );
}

/** Node prints the stack that an error has when nothing has caught it. What throws here would be printed in its place. */
export function nameSources(error: unknown): void {
  try {
    if (error instanceof Error && error.stack !== undefined) error.stack = sourcePositions()(error.stack);
  } catch {
    // Its stack cannot be read or set, such as that of a frozen error: node prints it as it is.
  }
}

/** Prints why a process cannot go on and exits with code 1. Only unexpected errors are printed with their stack. */
export function fail(name: string, error: unknown): never {
  for (const line of errorLines(error)) process.stderr.write(`${name}: ${line}\n`);
  process.exit(1);
}

function errorLines(error: unknown): readonly string[] {
  if (error instanceof SettingsError) return error.problems;
  if (error instanceof StartError) return [error.message];
  return [error instanceof Error ? sourcePositions()(error.stack ?? error.message) : String(error)];
}
