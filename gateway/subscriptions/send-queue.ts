import type { WebSocket } from 'ws';

export interface SendQueueLimits {
  /** How many bytes may wait to be sent before nothing more is queued for the client. */
  readonly maxUnsentBytes: number;
  /** How long a client may take to make room, in milliseconds. */
  readonly slowClientMs: number;
}

/**
 * Sends to a client no faster than it reads. While too much waits, nothing is read from the client either, so that it
 * cannot have answers pile up by asking for more; a client that makes no room is given up.
 */
export class SendQueue {
  readonly #socket: WebSocket;
  readonly #limits: SendQueueLimits;
  readonly #giveUp: () => void;
  #waiting: (() => void)[] = [];
  #patience: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, limits: SendQueueLimits, giveUp: () => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#giveUp = giveUp;
    socket.once('close', () => this.#roomAgain());
  }

  /** Whether the client has to make room. */
  get isFull(): boolean {
    return this.#patience !== undefined;
  }

  /** @returns a promise where the sender has to wait until there is room again. */
  send(text: string): Promise<void> | undefined {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return undefined;
    socket.send(text, () => {
      if (this.isFull && socket.bufferedAmount <= this.#limits.maxUnsentBytes / 2) this.#roomAgain();
    });
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
