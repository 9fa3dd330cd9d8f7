import type { SendQueueLimits } from './send-queue.ts';

/** How much of everything long-lived connections may take. */
export interface SubscriptionLimits extends SendQueueLimits {
  /** WebSockets and event streams at a time. */
  readonly maxConnections: number;
  /** Operations that run at a time over one WebSocket. */
  readonly maxOperations: number;
  /** The largest message of a client, in bytes. */
  readonly maxMessageBytes: number;
  /** How long a client may take to send `connection_init`, in milliseconds. */
  readonly initTimeoutMs: number;
  /** How often a quiet connection is spoken to, in milliseconds. */
  readonly keepAliveMs: number;
}
