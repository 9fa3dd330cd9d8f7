import type { Authenticator, Session } from '../../access/session/index.ts';
import { type GatewayError, toGatewayError } from '../../errors.ts';

/** The longest timer of Node.js. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Watches the credentials of a long-lived connection.
 *
 * @param ended called once when the credentials expire, are revoked, or can no longer be verified.
 * @returns a function that ends the watch.
 */
export function watchSessionExpiry(
  { validity }: Session,
  authenticator: Authenticator,
  ended: (reason: GatewayError) => void,
): () => void {
  if (!validity) return () => {};
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  const look = () => {
    const refusal = validity.refusal();
    if (!refusal) return false;
    stop();
    ended(toGatewayError(refusal));
    return true;
  };
  const wait = () => {
    const left = validity.expiresAt - Date.now();
    timer = setTimeout(() => look() || wait(), Math.min(Math.max(left, 0) + 1, LONGEST_TIMER_MS));
  };
  const stopListening = authenticator.onRevocationNews(() => void look());
  wait();
  return stop;
}

/** The credentials of a WebSocket and of the operations over it. */
export class ConnectionExpiry {
  readonly #authenticator: Authenticator;
  #session: Session | undefined;
  #stop = () => {};

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator;
  }

  /** Watches the credentials that the connection was opened with. */
  watch(session: Session, ended: (reason: GatewayError) => void): void {
    this.#session = session;
    this.#stop = watchSessionExpiry(session, this.#authenticator, ended);
  }

  /**
   * Watches the credentials of an operation if they are not those of the connection. An authentication hook that is called for
   * each operation may give each its own expiry.
   *
   * @returns a function that ends the watch.
   */
  watchOperation(session: Session, ended: (reason: GatewayError) => void): () => void {
    if (session.validity === this.#session?.validity) return () => {};
    return watchSessionExpiry(session, this.#authenticator, ended);
  }

  /** Ends the watch of the connection's credentials. */
  stop(): void {
    this.#stop();
  }
}
