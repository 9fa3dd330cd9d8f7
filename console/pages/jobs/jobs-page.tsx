import { OutcomeNotice, useHeadingFocus } from '../../administration/index.ts';
import { path } from '../../routing/index.ts';
import { JobList } from './job-list.tsx';
import { JobView } from './job-view.tsx';

/** The jobs of the gateway's database, and each of them at an address of its own. */
export function JobsPage() {
  const [, id] = path.value.split('/');
  const place = useHeadingFocus(id);
  return (
    <div class="administration" ref={place}>
      {id === undefined ? <JobList /> : <JobView key={id} id={id} />}
      <OutcomeNotice />
    </div>
  );
}
