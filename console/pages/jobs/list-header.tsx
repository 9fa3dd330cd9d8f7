import { Link } from '../../administration/index.ts';
import { Button, PageHeader } from '../../parts/index.ts';
import { jobsPage, jobView } from '../../texts/index.ts';

interface ListHeaderProps {
  readonly title: string;
  readonly lead: string;
  readonly onRefresh: () => void;
}

/** The head of a list below that of jobs, with the way back. */
export function ListHeader({ title, lead, onRefresh }: ListHeaderProps) {
  return (
    <>
      <p>
        <Link to="jobs">{jobView.all}</Link>
      </p>
      <PageHeader title={title} lead={lead}>
        <Button onClick={onRefresh}>{jobsPage.refresh}</Button>
      </PageHeader>
    </>
  );
}
