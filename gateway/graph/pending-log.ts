import type { Logger } from '../../platform/index.ts';

type Level = 'info' | 'warn' | 'error';

/** Holds log lines back until it is known whether they are true of what is served. */
export class PendingLog {
  readonly #log: Logger;
  #pending: (() => void)[] | undefined = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Writes what is held back, and from now on everything at once. */
  release(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const write of pending) write();
  }

  info(detail: object, message: string): void {
    this.#write('info', detail, message);
  }

  warn(detail: object, message: string): void {
    this.#write('warn', detail, message);
  }

  error(detail: object, message: string): void {
    this.#write('error', detail, message);
  }

  #write(level: Level, detail: object, message: string): void {
    const write = () => this.#log[level](detail, message);
    if (this.#pending) this.#pending.push(write);
    else write();
  }
}
