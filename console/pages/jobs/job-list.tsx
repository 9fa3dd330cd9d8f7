import { useRef } from 'preact/hooks';
import { Link, PagedList, pageCursor } from '../../administration/index.ts';
import type { Job, JobPage, JobQueues } from '../../api/index.ts';
import { Button, Notice, PageHeader, Time, useLoaded, useRefresh } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { role } from '../../session/index.ts';
import { administrationPages, deliveries, jobView, schedules, jobsPage as texts } from '../../texts/index.ts';
import { DELIVERIES } from './delivery-list.tsx';
import { JobFilters, pickedJobs } from './job-filters.tsx';
import { fetchJobs } from './job-requests.ts';
import { JobStateBadge, kindName } from './job-state.tsx';
import { JobsFailure, refusalOfJobs } from './jobs-failure.tsx';
import { QueueActs } from './queue-acts.tsx';
import { QueueTable } from './queue-table.tsx';
import { SCHEDULES } from './schedule-list.tsx';

/** What refreshes itself has numbers that may be so old, so that open pages do not make the database count for each of them. */
const TIMED_MAX_AGE_MS = 10_000;

/** Queues with their counts, and the jobs that the address picks. */
export function JobList() {
  const { state, kind, queue, tenant } = pickedJobs();
  const after = pageCursor() ?? undefined;
  const isOfTimer = useRef(false);
  const queues = useLoaded(
    (signal) => {
      const max_age_ms = isOfTimer.current ? TIMED_MAX_AGE_MS : 0;
      isOfTimer.current = false;
      return fetchJobs<JobQueues>('portico_get_job_queues', { max_age_ms }, signal);
    },
    [role.value],
  );
  const jobs = useLoaded(
    (signal) => {
      const states = state === undefined ? undefined : [state];
      return fetchJobs<JobPage>('portico_get_jobs', { states, kind, queue, tenant, after }, signal);
    },
    [role.value, state, kind, queue, tenant, after],
  );
  useRefresh(() => {
    isOfTimer.current = true;
    queues.reload();
  });
  function reload() {
    isOfTimer.current = false;
    queues.reload();
    jobs.reload();
  }
  const mayOperate = jobs.value?.may_operate ?? queues.value?.may_operate;
  const isRefused = refusalOfJobs(queues.error) !== undefined;
  return (
    <>
      <PageHeader title={administrationPages.jobs} lead={texts.lead}>
        <Button onClick={reload}>{texts.refresh}</Button>
      </PageHeader>
      {isRefused ? (
        <JobsFailure error={queues.error} reload={reload} />
      ) : (
        <>
          <p class="row">
            <Link to={`jobs/${SCHEDULES}`}>{schedules.title}</Link>
            <Link to={`jobs/${DELIVERIES}`}>{deliveries.title}</Link>
          </p>
          {mayOperate === false && <Notice kind="info">{texts.looksOnly}</Notice>}
          <QueueTable loaded={queues} />
          <JobFilters />
          {mayOperate && kind !== undefined && queue !== undefined && (
            <QueueActs key={`${kind} ${queue} ${tenant}`} kind={kind} queue={queue} tenant={tenant} onChange={reload} />
          )}
          <PagedList
            label={texts.filters.title}
            loaded={{ ...jobs, value: jobs.value && { entries: jobs.value.items, next: jobs.value.next } }}
            summary={(entries) => texts.list.count(entries.length)}
            columns={[
              texts.list.id,
              texts.list.state,
              texts.list.queue,
              texts.list.tenant,
              texts.list.accepted,
              texts.list.attempts,
              texts.list.reason,
            ]}
            row={(job) => <JobRow key={job.id} job={job} />}
          />
        </>
      )}
    </>
  );
}

function JobRow({ job }: { readonly job: Job }) {
  return (
    <tr>
      <td data-label={texts.list.id}>
        <Link to={`jobs/${job.id}`}>
          <code class="small">{job.id}</code>
        </Link>
      </td>
      <td data-label={texts.list.state}>
        <JobStateBadge state={job.state} />
      </td>
      <td data-label={texts.list.queue}>
        <Link to={pathWith('jobs', { kind: job.kind, queue: job.queue })}>{job.queue}</Link>{' '}
        <span class="dim small">{kindName(job.kind)}</span>
      </td>
      <td data-label={texts.list.tenant}>{job.tenant || texts.none}</td>
      <td data-label={texts.list.accepted}>
        <Time at={job.accepted_at} />
      </td>
      <td data-label={texts.list.attempts}>{jobView.attempts(job.attempts, job.max_attempts)}</td>
      <td data-label={texts.list.reason}>
        <span class="whole">{job.reason ?? texts.none}</span>
      </td>
    </tr>
  );
}
