import { OutcomeNotice, useHeadingFocus } from '../../administration/index.ts';
import { path } from '../../routing/index.ts';
import { JobList } from './job-list.tsx';
import { JobView } from './job-view.tsx';
import { SCHEDULES, ScheduleList } from './schedule-list.tsx';

/** The jobs of the gateway's database, each of them at an address of its own, and what schedules make of them. */
export function JobsPage() {
  const [, id] = path.value.split('/');
  const place = useHeadingFocus(id);
  return (
    <div class="administration" ref={place}>
      {id === undefined && <JobList />}
      {id === SCHEDULES && <ScheduleList />}
      {id !== undefined && id !== SCHEDULES && <JobView key={id} id={id} />}
      <OutcomeNotice />
    </div>
  );
}
