import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import type { ConfirmRotations, SpentToken } from '../use-cases/index.ts';

/** How long a connection has to outlive a response before the response counts as delivered. */
const SETTLE_MS = 250;

export interface RefreshDeliveriesOptions extends ServiceTime {
  confirmRotations: ConfirmRotations;
  logger: Logger;
}

export interface RefreshDeliveries {
  /** Tracks `response`, which contains the successor of `token`. */
  follow(token: SpentToken, response: ServerResponse): void;
  /** Returns the number of sent responses that are not recorded yet. */
  pending(): number;
  start(): void;
  stop(): Promise<void>;
}

interface Sent extends SpentToken {
  readonly at: Date;
  /** When the response counts as delivered if the connection is still open, by `performance.now()`. */
  readonly settledAt: number;
  /** Null if the connection closes after the response, so that it does not show whether the response was delivered. */
  readonly socket: Socket | null;
}

/**
 * Records which responses with new refresh tokens have been delivered.
 *
 * A response counts as delivered if it was sent completely and its connection was still open a moment later. If a gateway is
 * killed, or a client disconnects, its connection closes immediately. Until then, the previous token may be sent again without
 * a time limit, since a client that got no response has no other token. A response whose delivery was not recorded because this
 * process was killed counts as undelivered permanently, and the session continues.
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
