import { Link, PagedList } from '../../administration/index.ts';
import type { Bounded, EventProducer, EventSubscription, EventSubscriptions } from '../../api/index.ts';
import { Button, type Loaded, PageHeader, useLoaded, useRefresh } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { role } from '../../session/index.ts';
import { jobQueues, jobView, jobsPage as page, deliveries as texts } from '../../texts/index.ts';
import { fetchJobs } from './job-requests.ts';
import { JobsFailure, refusalOfJobs } from './jobs-failure.tsx';
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
  /** What is shown stays as it is while it is loaded again, which is every few seconds. */
  function listOf<Entry>(list: Bounded<Entry> | undefined): Loaded<{ entries: readonly Entry[]; next: null }> {
    const isLoading = loaded.isLoading && !value;
    return { ...loaded, isLoading, value: list && { entries: list.items, next: null } };
  }
  return (
    <>
      <p>
        <Link to="jobs">{jobView.all}</Link>
      </p>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button onClick={reload}>{page.refresh}</Button>
      </PageHeader>
      {refusalOfJobs(error) === undefined ? (
        <>
          <section class="card" aria-labelledby="subscriptions">
            <h2 id="subscriptions">{texts.subscriptions}</h2>
            <PagedList
              label={texts.subscriptions}
              loaded={listOf(value?.subscriptions)}
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
                loaded={{ ...listOf(value.producers), error: undefined }}
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
      <td data-label={texts.types}>
        <NameList of={types} />
      </td>
      <td data-label={texts.tenants}>
        <NameList of={tenants} />
      </td>
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
      <td data-label={texts.types}>
        <NameList of={types} />
      </td>
      <td data-label={texts.tenants}>
        <NameList of={tenants} />
      </td>
    </tr>
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
