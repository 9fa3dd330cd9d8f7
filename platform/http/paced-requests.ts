import cluster from 'node:cluster';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** After this many turns of the event loop without a new connection, no more connections are waiting. */
const QUIET_TURNS = 2;
/** A cluster's main process hands over one connection at a time, and the next one after its confirmation. */
const QUIET_TURNS_OF_WORKER = 20;

/** How many connections per second requests wait for. A flood of connections thus gets a tenth of the processor's time. */
const MAX_PER_SECOND = 1_000;

/**
 * While connections arrive, begins one request in each turn of the event loop, and further ones in order in later turns.
 *
 * Node.js accepts one connection in each turn (libuv since 1.45). The more requests a turn handles, the longer a connection
 * waits. If 500 clients connect at once, the last ones would wait until the first ones have had 500 responses each. Short turns
 * accept all of them first. A turn does not wait for anything, so no time is lost.
 */
export class PacedRequests {
  readonly #handler: RequestListener;
  readonly #now: () => number;
  readonly #waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  readonly #mostQuietTurns: number;
  #quietTurns: number;
  /** Whether a request has begun in this turn, while connections arrive. */
  #isTurnTaken = false;
  #secondBegan = Number.NEGATIVE_INFINITY;
  #acceptedInSecond = 0;

  /** @param now returns milliseconds from a monotonic clock. */
  constructor(handler: RequestListener, now: () => number = () => performance.now()) {
    this.#handler = handler;
    this.#now = now;
    this.#mostQuietTurns = cluster.isWorker ? QUIET_TURNS_OF_WORKER : QUIET_TURNS;
    this.#quietTurns = this.#mostQuietTurns;
  }

  /** Called for each new connection. */
  accepted(): void {
    const now = this.#now();
    if (now - this.#secondBegan >= 1_000) {
      this.#secondBegan = now;
      this.#acceptedInSecond = 0;
    }
    if (this.#acceptedInSecond >= MAX_PER_SECOND) return;
    this.#acceptedInSecond++;
    this.#quietTurns = 0;
  }

  /** Handles a request, in this turn or in a later one. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isTurnTaken) {
      this.#waiting.push([request, response]);
      return;
    }
    if (this.#quietTurns < this.#mostQuietTurns) this.#takeTurn();
    this.#handler(request, response);
  }

  #takeTurn(): void {
    this.#isTurnTaken = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isTurnTaken = false;
    this.#quietTurns++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const [request, response] = next;
      // While requests wait, later ones must not begin before them.
      if (!this.#isTurnTaken) this.#takeTurn();
      // The client has disconnected or has closed its side of the connection, which Node.js treats alike. No event will notify
      // the handler.
      if (request.destroyed || request.socket.destroyed) request.socket.destroy();
      else this.#handler(request, response);
      if (this.#quietTurns < this.#mostQuietTurns) return;
    }
  };
}
