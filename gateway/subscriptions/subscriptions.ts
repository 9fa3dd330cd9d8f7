import type { OperationLog } from '../http/index.ts';
import type { Operations } from '../operation/index.ts';
import type { Authenticator } from '../session/index.ts';
import { type EventStreams, openEventStreams } from './event-streams.ts';
import type { ConnectionLimits } from './limits.ts';
import { Places } from './places.ts';
import { openWebSockets, type WebSockets } from './websockets.ts';

export interface SubscriptionsOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  /** Whether pages of this origin may act for their users by a cookie. */
  readonly trustsOrigin: (origin: string) => boolean;
  readonly limits: ConnectionLimits;
  readonly logOperation: OperationLog;
}

/** The connections over which clients get events: WebSockets, and answers that are event streams. */
export interface Subscriptions {
  readonly upgrade: WebSockets['upgrade'];
  readonly streamEvents: EventStreams['answer'];
  /** How many of them are open. */
  readonly connections: number;
  /** Ends them all, in a way that makes clients come back. Queries and mutations finish. */
  leave(): void;
}

export function openSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const places = new Places(options.limits.maxConnections);
  const webSockets = openWebSockets({ ...options, places });
  const eventStreams = openEventStreams({ ...options, places });
  return {
    upgrade: webSockets.upgrade,
    streamEvents: eventStreams.answer,
    get connections() {
      return places.taken;
    },
    leave: () => {
      webSockets.leave();
      eventStreams.leave();
    },
  };
}
