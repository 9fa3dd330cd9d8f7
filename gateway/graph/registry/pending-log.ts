import type { Logger } from '../../../platform/index.ts';
import type { LogEvent } from '../../log-events.ts';

/** The event of a log line and its fields. */
export type LogFields = { readonly event: LogEvent } & Readonly<Record<string, unknown>>;

type Level = 'info' | 'warn' | 'error';

/** Buffers log lines until their registry is served. */
export class PendingLog {
  readonly #log: Logger;
  #pending: (() => void)[] | undefined = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Writes the buffered lines. Later lines are written immediately. */
  release(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const write of pending) write();
  }

  info(detail: LogFields, message: string): void {
    this.#write('info', detail, message);
  }

  warn(detail: LogFields, message: string): void {
    this.#write('warn', detail, message);
  }

  error(detail: LogFields, message: string): void {
    this.#write('error', detail, message);
  }

  #write(level: Level, detail: LogFields, message: string): void {
    const write = () => this.#log[level](detail, message);
    if (this.#pending) this.#pending.push(write);
    else write();
  }
}
