import { OutcomeNotice, useHeadingFocus } from '../../administration/index.ts';
import { path } from '../../routing/index.ts';
import { DELIVERIES, DeliveryList } from './delivery-list.tsx';
import { JobList } from './job-list.tsx';
import { JobView } from './job-view.tsx';
import { SCHEDULES, ScheduleList } from './schedule-list.tsx';

/** The jobs of the gateway's database, each of them at an address of its own, what schedules make of them, and who gets events. */
export function JobsPage() {
  const [, id] = path.value.split('/');
  const place = useHeadingFocus(id);
  return (
    <div class="administration" ref={place}>
      <JobsContent id={id} />
      <OutcomeNotice />
    </div>
  );
}

function JobsContent({ id }: { readonly id: string | undefined }) {
  if (id === undefined) return <JobList />;
  if (id === SCHEDULES) return <ScheduleList />;
  if (id === DELIVERIES) return <DeliveryList />;
  return <JobView key={id} id={id} />;
}
