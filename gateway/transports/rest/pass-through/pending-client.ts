import type { Socket } from 'node:net';

/** Bytes of a client that are kept before its handshake is answered; a client may not send any (RFC 6455 section 4.1). */
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * The client of a handshake that is not answered yet. Node has let go of its connection, and does not close one whose client has
 * ended its side, so it is read here: a client that leaves closes the connection, and with it whatever waits for the answer.
 */
export class PendingClient {
  readonly #socket: Socket;
  readonly #early: Buffer[];
  #bytes: number;

  /** @param head what the client has sent right after its handshake. */
  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#early = head.length > 0 ? [head] : [];
    this.#bytes = head.length;
    socket.on('data', this.#keep);
    socket.on('end', this.#leave);
  }

  /** Stops reading, since the handshake is answered. @returns what the client has sent so far; nothing the second time. */
  answered(): Buffer {
    const socket = this.#socket;
    socket.off('data', this.#keep);
    socket.off('end', this.#leave);
    socket.pause();
    return Buffer.concat(this.#early.splice(0));
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#early.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_EARLY_BYTES) this.#socket.pause();
  };

  readonly #leave = (): void => {
    this.#socket.destroy();
  };
}
