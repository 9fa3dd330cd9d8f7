import { type GatewayError, toGatewayError } from '../errors.ts';
import type { Authenticator, Session } from '../session/index.ts';

/** Longer than this a timer of node cannot run. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Watches over the credentials of a connection that outlives a request.
 *
 * @param ended is told once, when they expire, are revoked, or can no longer be judged.
 * @returns what ends the watch.
 */
export function watchSession(
  { standing }: Session,
  authenticator: Authenticator,
  ended: (reason: GatewayError) => void,
): () => void {
  if (!standing) return () => {};
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    stopListening();
  };
  const look = () => {
    const refusal = standing.refusal();
    if (!refusal) return false;
    stop();
    ended(toGatewayError(refusal));
    return true;
  };
  const wait = () => {
    const left = standing.expiresAt - Date.now();
    timer = setTimeout(() => look() || wait(), Math.min(Math.max(left, 0) + 1, LONGEST_TIMER_MS));
  };
  const stopListening = authenticator.onRevocationNews(() => void look());
  wait();
  return stop;
}
