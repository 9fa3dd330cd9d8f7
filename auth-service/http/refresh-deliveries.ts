import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import type { ConfirmRotations, SpentToken } from '../use-cases/index.ts';

/** How long a connection has to outlive a reply before the reply counts as delivered. */
const SETTLE_MS = 250;

export interface RefreshDeliveriesOptions extends ServiceTime {
  confirmRotations: ConfirmRotations;
  logger: Logger;
}

export interface RefreshDeliveries {
  /** `response` is the reply that carries the successor of `token`. */
  follow(token: SpentToken, response: ServerResponse): void;
  /** Replies that were sent and are not recorded yet. */
  pending(): number;
  start(): void;
  stop(): Promise<void>;
}

interface Sent extends SpentToken {
  readonly at: Date;
  readonly settledAt: number;
  readonly socket: Socket | null;
}

/**
 * Records which replies with new refresh tokens have been delivered.
 *
 * A reply counts as delivered when all of it was sent and its connection was still open a moment later: a gateway that is
 * killed, or a client that hangs up, closes its connection at once. Until then the token before may be sent again for as
 * long as it takes, because a client that was not answered has nothing else. A token whose reply is not known to be
 * delivered, since this process was killed, stays so; that is on the safe side for the session.
 */
export function createRefreshDeliveries(options: RefreshDeliveriesOptions): RefreshDeliveries {
  const { confirmRotations, now, every, logger } = options;
  let sent: Sent[] = [];
  let stopTimer: (() => void) | undefined;

  async function confirm(settledBefore: number): Promise<void> {
    const settled = sent.filter(({ settledAt }) => settledAt <= settledBefore);
    if (settled.length === 0) return;
    sent = sent.filter(({ settledAt }) => settledAt > settledBefore);
    try {
      await confirmRotations(settled.filter(({ socket }) => socket === null || !socket.destroyed));
    } catch (error) {
      logger.warn({ err: error, event: 'refresh.delivery_unrecorded' }, 'failed to record delivered refresh replies');
    }
  }

  return {
    pending: () => sent.length,
    follow({ tenantId, tokenHash }, response) {
      const { socket } = response;
      response.once('finish', () => {
        // A connection that closes after this response does not show whether it was delivered.
        const telling = response.shouldKeepAlive ? socket : null;
        sent.push({ tenantId, tokenHash, at: now(), settledAt: performance.now() + SETTLE_MS, socket: telling });
      });
    },
    start() {
      stopTimer ??= every(SETTLE_MS, () => confirm(performance.now()));
    },
    async stop() {
      stopTimer?.();
      await confirm(Number.POSITIVE_INFINITY);
    },
  };
}
