import { Link, PagedList } from '../../administration/index.ts';
import type { Bounded, EventProducer, EventSubscription, EventSubscriptions } from '../../api/index.ts';
import { useLoaded, useRefresh } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { role } from '../../session/index.ts';
import { jobQueues, jobsPage as page, deliveries as texts } from '../../texts/index.ts';
import { excerptOf } from './excerpt.ts';
import { fetchJobs } from './job-requests.ts';
import { JobsFailure, refusalOfJobs } from './jobs-failure.tsx';
import { ListHeader } from './list-header.tsx';
import { Pauses } from './queue-table.tsx';

/** The address of the list below that of jobs; no job has such an id. */
export const DELIVERIES = 'deliveries';

/** The webhooks that events are delivered to, with the state of their jobs, and the services that post them. */
export function DeliveryList() {
  const loaded = useLoaded(
    (signal) => fetchJobs<EventSubscriptions>('portico_get_event_subscriptions', {}, signal),
    [role.value],
  );
  const { value, error, reload } = loaded;
  useRefresh(reload);
  return (
    <>
      <ListHeader title={texts.title} lead={texts.lead} onRefresh={reload} />
      {refusalOfJobs(error) === undefined ? (
        <>
          <section class="card" aria-labelledby="subscriptions">
            <h2 id="subscriptions">{texts.subscriptions}</h2>
            <PagedList
              label={texts.subscriptions}
              loaded={excerptOf(loaded, value?.subscriptions)}
              isExcerpt
              summary={(entries) => texts.subscriptionCount(entries.length, value?.subscriptions.omitted ?? 0)}
              columns={[
                texts.subscription,
                texts.types,
                texts.tenants,
                texts.order,
                texts.toDeliver,
                page.counted.dead,
                jobQueues.oldest,
              ]}
              row={(subscription) => <SubscriptionRow key={subscription.name} subscription={subscription} />}
            />
          </section>
          {value && (
            <section class="card" aria-labelledby="producers">
              <h2 id="producers">{texts.producers}</h2>
              <PagedList
                label={texts.producers}
                // Why it could not be loaded again is above.
                loaded={{ ...excerptOf(loaded, value.producers), error: undefined }}
                isExcerpt
                summary={(entries) => texts.producerCount(entries.length, value.producers.omitted)}
                columns={[texts.producer, texts.sources, texts.types, texts.tenants]}
                row={(producer) => <ProducerRow key={producer.name} producer={producer} />}
              />
            </section>
          )}
        </>
      ) : (
        <JobsFailure error={error} reload={reload} />
      )}
    </>
  );
}

function SubscriptionRow({ subscription }: { readonly subscription: EventSubscription }) {
  const { name, comment, types, tenants, order_key: orderKey, pauses, dead, oldest_queued_seconds: age } = subscription;
  const open = subscription.queued + subscription.running + subscription.scheduled + subscription.waiting;
  const ofQueue = { kind: 'delivery', queue: name };
  return (
    <tr>
      <td data-label={texts.subscription}>
        <Link to={pathWith('jobs', ofQueue)}>{name}</Link>
        {comment !== null && <div class="dim small">{comment}</div>}
        <Pauses pauses={pauses} />
      </td>
      <PartyCells types={types} tenants={tenants} />
      <td data-label={texts.order}>{orderKey === null ? page.none : <code>{orderKey}</code>}</td>
      <td data-label={texts.toDeliver}>{open === 0 ? <span class="dim">0</span> : open}</td>
      <td data-label={page.counted.dead}>
        {dead === 0 ? (
          <span class="dim">0</span>
        ) : (
          <Link to={pathWith('jobs', { ...ofQueue, state: 'dead' })}>
            <span class="badge bad">{dead}</span>
          </Link>
        )}
      </td>
      <td data-label={jobQueues.oldest}>{age === null ? page.none : jobQueues.age(age)}</td>
    </tr>
  );
}

function ProducerRow({ producer: { name, comment, sources, types, tenants } }: { readonly producer: EventProducer }) {
  return (
    <tr>
      <td data-label={texts.producer}>
        {name}
        {comment !== null && <div class="dim small">{comment}</div>}
      </td>
      <td data-label={texts.sources}>
        <NameList of={sources} />
      </td>
      <PartyCells types={types} tenants={tenants} />
    </tr>
  );
}

/** Which events a subscription or a producer is about. */
function PartyCells({ types, tenants }: Pick<EventProducer, 'types' | 'tenants'>) {
  return (
    <>
      <td data-label={texts.types}>
        <NameList of={types} />
      </td>
      <td data-label={texts.tenants}>
        <NameList of={tenants} />
      </td>
    </>
  );
}

/** Names in a row; null stands for all. */
function NameList({ of }: { readonly of: Bounded<string> | null }) {
  if (of === null) return <span class="dim">{texts.all}</span>;
  return (
    <>
      {of.items.join(', ')}
      {of.omitted > 0 && <span class="dim"> {texts.more(of.omitted)}</span>}
    </>
  );
}
