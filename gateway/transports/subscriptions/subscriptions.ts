import type { Authenticator } from '../../access/session/index.ts';
import type { OperationPipeline } from '../../pipeline/index.ts';
import { LiveConnections, type OperationLog, type OperationSpans } from '../http/index.ts';
import { type EventStreams, openEventStreams } from './event-streams.ts';
import type { SubscriptionLimits } from './limits.ts';
import { openWebSockets, type WebSockets } from './websockets.ts';

export interface SubscriptionsOptions {
  readonly operations: OperationPipeline;
  readonly authenticator: Authenticator;
  /** Returns whether pages of this origin may act for their users by a cookie. */
  readonly trustsOrigin: (origin: string) => boolean;
  readonly limits: SubscriptionLimits;
  readonly logOperation: OperationLog;
  readonly operationSpans: OperationSpans;
}

/** The connections over which clients receive events: WebSockets, and responses that are event streams. */
export interface Subscriptions {
  readonly upgrade: WebSockets['upgrade'];
  readonly streamEvents: EventStreams['answer'];
  /** The number of open connections. */
  readonly connections: number;
  /** Ends all connections in a way that makes clients reconnect. Queries and mutations finish. */
  leave(): void;
}

export function openSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const live = new LiveConnections(options.limits.maxConnections);
  const webSockets = openWebSockets({ ...options, live });
  const eventStreams = openEventStreams({ ...options, live });
  return {
    upgrade: webSockets.upgrade,
    streamEvents: eventStreams.answer,
    get connections() {
      return live.open;
    },
    leave: () => {
      webSockets.leave();
      eventStreams.leave();
    },
  };
}
