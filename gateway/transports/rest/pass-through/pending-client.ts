import type { Socket } from 'node:net';

/**
 * The most bytes of a client that are kept until its handshake is answered. A client should not send any before (RFC 6455
 * section 4.1).
 */
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * The client of a pending handshake. Node.js has released the connection, and would not close it if the client ends its side.
 * This class therefore reads from the connection, and closes it when the client disconnects.
 */
export class PendingClient {
  readonly #socket: Socket;
  readonly #early: Buffer[];
  #bytes: number;

  /** @param head the bytes that the client sent right after its handshake. */
  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#early = head.length > 0 ? [head] : [];
    this.#bytes = head.length;
    socket.on('data', this.#keep);
    socket.on('end', this.#leave);
  }

  /**
   * Stops reading once the handshake is answered. @returns the bytes that the client has sent so far. The second call returns
   * none.
   */
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
