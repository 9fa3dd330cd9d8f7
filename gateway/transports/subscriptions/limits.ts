import type { SendQueueLimits } from './send-queue.ts';

/** The limits of long-lived connections. */
export interface SubscriptionLimits extends SendQueueLimits {
  /** The most WebSockets and event streams at a time. */
  readonly maxConnections: number;
  /** The most operations that run over one WebSocket at a time. */
  readonly maxOperations: number;
  /** The largest message of a client in bytes. */
  readonly maxMessageBytes: number;
  /** How long a client may take to send `connection_init`, in milliseconds. */
  readonly initTimeoutMs: number;
  /** The interval of pings and keep-alive messages, in milliseconds. */
  readonly keepAliveMs: number;
}
