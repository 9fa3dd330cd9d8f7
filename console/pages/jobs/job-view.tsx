import type { ComponentChildren } from 'preact';
import { Link, PagedList } from '../../administration/index.ts';
import type { JobDetails } from '../../api/index.ts';
import { Button, type Loaded, PageHeader, Time, useLoaded, useRefresh } from '../../parts/index.ts';
import { pathWith } from '../../routing/index.ts';
import { role } from '../../session/index.ts';
import { jobsPage as page, shell, jobView as texts } from '../../texts/index.ts';
import { JobActs } from './job-acts.tsx';
import { fetchJobs } from './job-requests.ts';
import { JobStateBadge, kindName } from './job-state.tsx';
import { JobsFailure } from './jobs-failure.tsx';

/** States that change by themselves. */
const CHANGING_STATES: ReadonlySet<string> = new Set(['queued', 'running', 'scheduled', 'waiting']);

/** One job: when it was tried and why it failed, the calls of its webhook, and what can be done with it. */
export function JobView({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => fetchJobs<JobDetails>('portico_get_job', { id }, signal), [role.value, id]);
  const { value: job, error, reload } = loaded;
  useRefresh(job && CHANGING_STATES.has(job.state) ? reload : undefined);
  return (
    <>
      <p>
        <Link to="jobs">{texts.all}</Link>
      </p>
      <PageHeader title={job ? `${texts.title} ${job.queue}` : texts.title}>
        <Button onClick={reload}>{page.refresh}</Button>
      </PageHeader>
      {error !== undefined && <JobsFailure error={error} reload={reload} />}
      {!job && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {job && (
        <>
          <JobFacts job={job} />
          {job.may_operate && <JobActs job={job} onChange={reload} />}
          <JobCalls loaded={loaded} />
        </>
      )}
    </>
  );
}

function JobFacts({ job }: { readonly job: JobDetails }) {
  const time = (at: string | null) => at !== null && <Time at={at} />;
  const code = (text: string | null) => text !== null && <code>{text}</code>;
  const { tenant } = job;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [page.list.state, <JobStateBadge key="state" state={job.state} />],
    [texts.id, code(job.id)],
    [texts.kind, kindName(job.kind)],
    [
      page.list.queue,
      <Link key="queue" to={pathWith('jobs', { kind: job.kind, queue: job.queue })}>
        {job.queue}
      </Link>,
    ],
    [page.list.tenant, tenant !== '' && <Link to={pathWith('jobs', { tenant })}>{tenant}</Link>],
    [page.list.attempts, texts.attempts(job.attempts, job.max_attempts)],
    [texts.progress, job.percent !== null && texts.percent(job.percent)],
    [page.list.reason, job.reason],
    [texts.error, code(job.error_code)],
    [page.list.accepted, time(job.accepted_at)],
    [texts.runs, time(job.run_at)],
    [texts.expires, time(job.expires_at)],
    [texts.started, time(job.started_at)],
    [texts.finished, time(job.finished_at)],
    [texts.orderKey, code(job.order_key)],
    [texts.idempotencyKey, code(job.idempotency_key)],
  ];
  return (
    <section class="card">
      <dl class="facts">
        {facts.flatMap(([name, value]) =>
          value === null || value === false ? [] : [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
        )}
      </dl>
      <p class="dim small">{texts.hidden}</p>
    </section>
  );
}

function JobCalls({ loaded }: { readonly loaded: Loaded<JobDetails> }) {
  const { value } = loaded;
  return (
    <section class="card" aria-labelledby="calls">
      <h2 id="calls">{texts.calls}</h2>
      <PagedList
        label={texts.calls}
        loaded={{ ...loaded, error: undefined, value: value && { entries: value.invocations, next: null } }}
        isExcerpt
        summary={(entries) => texts.callCount(entries.length)}
        columns={[texts.callTime, texts.callStatus]}
        row={({ id, created_at: at, status }) => (
          <tr key={id}>
            <td data-label={texts.callTime}>
              <Time at={at} />
            </td>
            <td data-label={texts.callStatus}>
              <span class={`badge ${status !== null && status < 300 ? 'good' : 'bad'}`}>
                {status ?? texts.noAnswer}
              </span>
            </td>
          </tr>
        )}
      />
    </section>
  );
}
