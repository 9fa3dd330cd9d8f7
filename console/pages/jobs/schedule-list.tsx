import { Link, PagedList } from '../../administration/index.ts';
import type { CronTrigger, CronTriggers, Job, PendingEvents } from '../../api/index.ts';
import { type Loaded, Time, useLoaded, useRefresh } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { role } from '../../session/index.ts';
import { jobsPage as page, schedules as texts } from '../../texts/index.ts';
import { excerptOf } from './excerpt.ts';
import { fetchJobs } from './job-requests.ts';
import { JobStateBadge } from './job-state.tsx';
import { JobsFailure, refusalOfJobs } from './jobs-failure.tsx';
import { ListHeader } from './list-header.tsx';

/** The address of the list below that of jobs; no job has such an id. */
export const SCHEDULES = 'schedules';

/** Cron triggers with their next time and the outcome of the last one, and one-off events that are scheduled. */
export function ScheduleList() {
  const triggers = useLoaded(
    (signal) => fetchJobs<CronTriggers>('portico_get_cron_triggers', {}, signal),
    [role.value],
  );
  const events = useLoaded(
    (signal) => fetchJobs<PendingEvents>('portico_get_one_off_events', {}, signal),
    [role.value],
  );
  function reload() {
    triggers.reload();
    events.reload();
  }
  useRefresh(reload);
  return (
    <>
      <ListHeader title={texts.title} lead={texts.lead} onRefresh={reload} />
      {refusalOfJobs(triggers.error) === undefined ? (
        <>
          <TriggerTable loaded={triggers} />
          <EventTable loaded={events} />
        </>
      ) : (
        <JobsFailure error={triggers.error} reload={reload} />
      )}
    </>
  );
}

function TriggerTable({ loaded }: { readonly loaded: Loaded<CronTriggers> }) {
  const { value } = loaded;
  return (
    <section class="card" aria-labelledby="triggers">
      <h2 id="triggers">{texts.triggers}</h2>
      <PagedList
        label={texts.triggers}
        loaded={excerptOf(loaded, value)}
        isExcerpt
        summary={(entries) => texts.triggerCount(entries.length, value?.omitted ?? 0)}
        columns={[texts.trigger, texts.schedule, texts.next, texts.last, texts.outcome]}
        row={(trigger) => <TriggerRow key={trigger.name} trigger={trigger} />}
      />
    </section>
  );
}

function TriggerRow({ trigger }: { readonly trigger: CronTrigger }) {
  const { name, schedule, time_zone: zone, comment, next_at: next, is_planned: isPlanned, last } = trigger;
  return (
    <tr>
      <td data-label={texts.trigger}>
        <Link to={pathWith('jobs', { kind: 'cron', queue: name })}>{name}</Link>
        {comment !== null && <div class="dim small">{comment}</div>}
      </td>
      <td data-label={texts.schedule}>
        <code>{schedule}</code> <span class="dim small">{zone}</span>
      </td>
      <td data-label={texts.next}>
        {next === null ? page.none : <Time at={next} />}
        {!isPlanned && (
          <div>
            <span class="badge warn">{texts.notPlanned}</span>
          </div>
        )}
      </td>
      <td data-label={texts.last}>{last === null ? page.none : <Time at={last.scheduled_at} />}</td>
      <td data-label={texts.outcome}>{last === null ? page.none : <RunOutcome job={last} />}</td>
    </tr>
  );
}

function EventTable({ loaded }: { readonly loaded: Loaded<PendingEvents> }) {
  const { value } = loaded;
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">{texts.events}</h2>
      <PagedList
        label={texts.events}
        loaded={excerptOf(loaded, value)}
        isExcerpt
        summary={(entries) => texts.eventCount(entries.length, value?.are_more ?? false)}
        columns={[texts.time, texts.event, texts.origin, texts.outcome]}
        row={(event) => (
          <tr key={event.id}>
            <td data-label={texts.time}>{event.run_at === null ? page.none : <Time at={event.run_at} />}</td>
            <td data-label={texts.event}>
              <Link to={`jobs/${event.id}`}>
                <code class="small">{event.id}</code>
              </Link>
            </td>
            <td data-label={texts.origin}>{event.queue}</td>
            <td data-label={texts.outcome}>
              <RunOutcome job={event} />
            </td>
          </tr>
        )}
      />
    </section>
  );
}

function RunOutcome({ job }: { readonly job: Job }) {
  const { id, state, reason } = job;
  return (
    <>
      <Link to={`jobs/${id}`}>
        <JobStateBadge state={state} />
      </Link>{' '}
      {reason !== null && <span class="small">{reason}</span>}
    </>
  );
}
