import type { EventSharing } from '../event-sharing.ts';
import type { RemoteTarget } from './remote-request.ts';

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
