import { readableLogLine } from './log-line.ts';

/** The terminal output of the launcher. */
export interface Screen {
  /** A message of the launcher, on standard output. */
  say(text: string): void;
  /** An error message of the launcher, on standard error. */
  complain(text: string): void;
  /** What a service has done that its log has too, which is shown raw then. */
  note(service: string, text: string): void;
  /** A line that a service wrote to its standard output: its log. */
  log(service: string, line: string): void;
  /** A line that a service wrote to its standard error: why it cannot start. Shown unchanged. */
  relay(line: string): void;
}

/** Shows logs unchanged (`raw`, for programs that parse them) or as one readable line for each entry. */
export function createScreen(raw: boolean): Screen {
  // The reader of the output may exit before the services do; that must not end the launcher.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    say: (text) => process.stdout.write(`${text}\n`),
    note: (service, text) => raw || process.stdout.write(`${service}: ${text}\n`),
    complain: (text) => process.stderr.write(`portico: ${text}\n`),
    log: (service, line) => process.stderr.write(`${raw ? line : readableLogLine(service, line)}\n`),
    relay: (line) => process.stderr.write(`${line}\n`),
  };
}
