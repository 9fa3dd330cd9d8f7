import type { WebSocket } from 'ws';

export interface SendQueueLimits {
  /** The size at which the queue is full, in bytes. */
  readonly maxUnsentBytes: number;
  /** How long the queue may stay full, in milliseconds. */
  readonly slowClientMs: number;
}

/**
 * The most bytes that may be queued when another message is sent: the size of the longest response. Up to a hundred operations
 * that began before the queue was full still send results.
 */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

/**
 * Sends to a client as fast as it reads. While the queue is full, nothing is read from the client either, so that it cannot
 * start further operations. A connection whose queue stays full for too long is closed.
 */
export class SendQueue {
  readonly #socket: WebSocket;
  readonly #limits: SendQueueLimits;
  readonly #giveUp: () => void;
  #waiting: (() => void)[] = [];
  #patience: NodeJS.Timeout | undefined;
  readonly #onSent = () => {
    if (this.isFull && this.#socket.bufferedAmount <= this.#limits.maxUnsentBytes / 2) this.#roomAgain();
  };

  constructor(socket: WebSocket, limits: SendQueueLimits, giveUp: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#giveUp = giveUp;
    socket.once('close', () => this.#roomAgain());
  }

  /** Whether the queue is full. */
  get isFull(): boolean {
    return this.#patience !== undefined;
  }

  /** @returns a promise if the sender has to wait for room. */
  send(text: string): Promise<void> | undefined {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return undefined;
    const queued = socket.bufferedAmount;
    if (queued > MAX_QUEUED_BYTES) {
      this.#giveUp();
      return undefined;
    }
    // Most clients have almost nothing queued, and a callback for each message would cost more than everything else.
    const mayFill = queued + 3 * text.length > this.#limits.maxUnsentBytes / 2;
    socket.send(text, mayFill ? this.#onSent : undefined);
    if (socket.bufferedAmount <= this.#limits.maxUnsentBytes) return undefined;
    if (!this.isFull) {
      socket.pause();
      this.#patience = setTimeout(this.#giveUp, this.#limits.slowClientMs);
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #roomAgain(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#socket.resume();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
