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
  /** When it counts as delivered if the connection is still open, as `performance.now()`. */
  readonly settledAt: number;
  /** Null where the connection closes after the reply, so that it does not show whether the reply was delivered. */
  readonly socket: Socket | null;
}

/**
 * Records which replies with new refresh tokens have been delivered.
 *
 * A reply counts as delivered when all of it was sent and its connection was still open a moment later: a gateway that is
 * killed, or a client that hangs up, closes its connection at once. Until then the previous token may be sent again, without a
 * limit of time, because a client that got no reply has no other token. A reply whose delivery was not recorded, since this
 * process was killed, counts as undelivered for good: the session lives on.
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
        const watched = response.shouldKeepAlive ? socket : null;
        sent.push({ tenantId, tokenHash, at: now(), settledAt: performance.now() + SETTLE_MS, socket: watched });
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
