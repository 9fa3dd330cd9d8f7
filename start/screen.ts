import { readableLogLine } from './log-line.ts';

/** What the person who started Portico sees. */
export interface Screen {
  /** The launcher's own words, on standard output. */
  say(text: string): void;
  /** The launcher's own words about what went wrong, on standard error. */
  complain(text: string): void;
  /** A line that a service wrote to its standard output: its log. */
  log(service: string, line: string): void;
  /** A line that a service wrote to its standard error: why it cannot start. It is meant for people already. */
  relay(line: string): void;
}

/** A screen that shows logs as they are (`raw`, for programs that read them) or as one readable line an entry. */
export function createScreen(raw: boolean): Screen {
  // Who looked at the output may go away before the services do. That is no reason to fall over.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  return {
    say: (text) => process.stdout.write(`${text}\n`),
    complain: (text) => process.stderr.write(`portico: ${text}\n`),
    log: (service, line) => process.stderr.write(`${raw ? line : readableLogLine(service, line)}\n`),
    relay: (line) => process.stderr.write(`${line}\n`),
  };
}
