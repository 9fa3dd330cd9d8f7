import type { EventSharing } from '../event-sharing.ts';
import type { RemoteTarget } from './remote-request.ts';

/** The sharing of subscriptions if several services form one source. Streams are only shared if all services agree. */
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
