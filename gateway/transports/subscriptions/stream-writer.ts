import type { ServerResponse } from 'node:http';
import type { Logger } from '../../../platform/index.ts';
import type { SubscriptionLimits } from './limits.ts';

/** Writes an event stream to a client, which may read slowly. Aborts the stream if the client stops reading. */
export class StreamWriter {
  readonly #response: ServerResponse;
  readonly #limits: Pick<SubscriptionLimits, 'maxUnsentBytes' | 'slowClientMs'>;
  readonly #log: Logger;
  /** Runs while the client does not read. */
  #patience: NodeJS.Timeout | undefined;

  constructor(
    response: ServerResponse,
    limits: Pick<SubscriptionLimits, 'maxUnsentBytes' | 'slowClientMs'>,
    log: Logger,
  ) {
    this.#response = response;
    this.#limits = limits;
    this.#log = log;
  }

  /** Whether the client has to read before more is written. */
  get isWaiting(): boolean {
    return this.#patience !== undefined;
  }

  /** @returns undefined, or a promise that resolves once the client has read enough. */
  write(text: string): Promise<void> | undefined {
    const response = this.#response;
    if (response.writableEnded || response.destroyed) return undefined;
    response.write(text);
    if (response.writableLength <= this.#limits.maxUnsentBytes) return undefined;
    return new Promise((resolve) => {
      this.#patience ??= setTimeout(() => this.#abort(), this.#limits.slowClientMs);
      const goOn = () => {
        this.stop();
        response.off('drain', goOn);
        response.off('close', goOn);
        resolve();
      };
      response.on('drain', goOn);
      response.on('close', goOn);
    });
  }

  stop(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  #abort(): void {
    const reason = 'the client does not read its messages';
    this.#log.warn({ event: 'event_stream.aborted', reason }, 'event stream aborted');
    this.#response.destroy();
  }
}
