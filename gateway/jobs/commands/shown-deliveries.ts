import { emptyQueue, type ShownQueue } from './shown-jobs.ts';

/** The properties of a producer or a subscription that operators see. */
interface EventParty {
  readonly name: string;
  readonly comment?: string | null | undefined;
  /** Exact values, or prefixes with a `*` at the end. */
  readonly types: readonly string[];
  /** Undefined for all tenants. */
  readonly tenants?: readonly string[] | undefined;
}

/** The producers and subscriptions of the active metadata. */
export interface EventParties {
  readonly producers: readonly (EventParty & { readonly sources: readonly string[] })[];
  readonly subscriptions: readonly (EventParty & {
    /** The attribute by whose value events are ordered, or `tenant`. Undefined if they are not ordered. */
    readonly order_key?: string | undefined;
  })[];
}

/** The most subscriptions, and the most producers, that are listed. */
const MOST_PARTIES = 500;
/** The most types, sources and tenants that are listed for each. */
const MOST_NAMES = 50;

/** The first items of a list. */
interface Shortened<T> {
  readonly items: readonly T[];
  readonly omitted: number;
}

interface ShownParty {
  readonly name: string;
  readonly comment: string | null;
  readonly types: Shortened<string>;
  /** Null for all tenants. */
  readonly tenants: Shortened<string> | null;
}

/** A subscription as operators see it, with the jobs of its queue. It contains nothing of the webhook, headers and secrets. */
interface ShownSubscription extends ShownParty, Omit<ShownQueue, 'kind' | 'queue'> {
  readonly order_key: string | null;
}

interface ShownProducer extends ShownParty {
  readonly sources: Shortened<string>;
}

export interface ShownDeliveries {
  readonly subscriptions: Shortened<ShownSubscription>;
  readonly producers: Shortened<ShownProducer>;
}

/** The kind of jobs that deliver events. */
const DELIVERY_KIND = 'delivery';

/** @param queues all queues with jobs or pauses, including those of removed subscriptions. */
export function shownDeliveries(
  { subscriptions, producers }: EventParties,
  queues: readonly ShownQueue[],
): ShownDeliveries {
  const bySubscription = new Map(
    queues.filter(({ kind }) => kind === DELIVERY_KIND).map((counted) => [counted.queue, counted]),
  );
  return {
    subscriptions: mapFirst(subscriptions, MOST_PARTIES, (subscription) => {
      const { name } = subscription;
      const { kind: _, queue: __, ...counted } = bySubscription.get(name) ?? emptyQueue(DELIVERY_KIND, name);
      return { ...shownParty(subscription), order_key: subscription.order_key ?? null, ...counted };
    }),
    producers: mapFirst(producers, MOST_PARTIES, (producer) => ({
      ...shownParty(producer),
      sources: firstNames(producer.sources),
    })),
  };
}

function shownParty({ name, comment, types, tenants }: EventParty): ShownParty {
  return { name, comment: comment ?? null, types: firstNames(types), tenants: tenants ? firstNames(tenants) : null };
}

function firstNames(names: readonly string[]): Shortened<string> {
  return mapFirst(names, MOST_NAMES, (name) => name);
}

function mapFirst<T, Shown>(list: readonly T[], most: number, show: (item: T) => Shown): Shortened<Shown> {
  return { items: list.slice(0, most).map(show), omitted: Math.max(0, list.length - most) };
}
