import type { OperationContext } from './operation-context.ts';
import type { RemoteTarget } from './remote-schema/index.ts';

/** How equal subscriptions to a service share one stream. */
export interface EventSharing {
  /** What an event is: something that happened, or the whole state, which a late subscriber gets first. */
  readonly events: 'events' | 'state';
  /** The headers of a client that the service gets, as a text: callers for which it differs share nothing. */
  forwardedOf(context: Pick<OperationContext, 'clientHeaders'>): string;
}

/** How subscriptions of services that are one source are shared: only where all of the services say so, and in the same way. */
export function eventSharing(targets: Iterable<RemoteTarget>): EventSharing | undefined {
  const all = [...targets];
  const events = all[0]?.events.share;
  if (events === undefined || all.some((target) => target.events.share !== events)) return undefined;
  const forwarding = all.flatMap(({ forwardHeaders }) => forwardHeaders ?? []);
  return {
    events,
    forwardedOf: ({ clientHeaders }) =>
      forwarding.length === 0 ? '' : JSON.stringify(forwarding.map((forward) => forward(clientHeaders))),
  };
}
