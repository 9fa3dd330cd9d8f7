import { Link, PagedList } from '../../administration/index.ts';
import type { JobQueues, QueuePause } from '../../api/index.ts';
import { type Loaded, Time } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { jobsPage, jobQueues as texts } from '../../texts/index.ts';
import { kindName } from './job-state.tsx';

/** States that are counted, in the order of the columns. */
const COUNT_COLUMNS = Object.entries(jobsPage.counted) as readonly [keyof typeof jobsPage.counted, string][];

/** Pauses of a queue that are shown; each of its tenants may have one. */
const SHOWN_PAUSES = 3;

/** The queues that have something to do, or something dead. */
export function QueueTable({ loaded }: { readonly loaded: Loaded<JobQueues> }) {
  const { value, isLoading } = loaded;
  return (
    <section class="card" aria-labelledby="queues">
      <h2 id="queues">{texts.title}</h2>
      <PagedList
        label={texts.title}
        // What is shown stays as it is while it is loaded again, which is every few seconds.
        loaded={{ ...loaded, isLoading: isLoading && !value, value: value && { entries: value.items, next: null } }}
        isExcerpt
        summary={(entries) => texts.count(entries.length, value?.omitted ?? 0)}
        columns={[texts.name, ...COUNT_COLUMNS.map(([, label]) => label), texts.oldest]}
        row={(row) => (
          <tr key={`${row.kind} ${row.queue}`}>
            <td data-label={texts.name}>
              <Link to={pathWith('jobs', { kind: row.kind, queue: row.queue })}>{row.queue}</Link>{' '}
              <span class="dim small">{kindName(row.kind)}</span>
              <Pauses pauses={row.pauses} />
            </td>
            {COUNT_COLUMNS.map(([state, label]) => (
              <td key={state} data-label={label}>
                {row[state] === 0 ? (
                  <span class="dim">0</span>
                ) : (
                  <Link to={pathWith('jobs', { kind: row.kind, queue: row.queue, state })}>
                    {state === 'dead' ? <span class="badge bad">{row[state]}</span> : row[state]}
                  </Link>
                )}
              </td>
            ))}
            <td data-label={texts.oldest}>
              {row.oldest_queued_seconds === null ? jobsPage.none : texts.age(row.oldest_queued_seconds)}
            </td>
          </tr>
        )}
      />
    </section>
  );
}

/** What is not begun for now, why and since when. */
export function Pauses({ pauses }: { readonly pauses: readonly QueuePause[] }) {
  const hidden = pauses.length - SHOWN_PAUSES;
  return (
    <>
      {pauses.slice(0, SHOWN_PAUSES).map(({ tenant, reason, since, processes, of_processes: all }) => (
        <div key={tenant} class="small">
          <span class="badge warn">{texts.paused(tenant)}</span> {texts.since} <Time at={since} />
          {texts.pausedWhy(reason, processes, all)}
        </div>
      ))}
      {hidden > 0 && <div class="dim small">{texts.morePauses(hidden)}</div>}
    </>
  );
}
