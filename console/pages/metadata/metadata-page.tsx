import { useState } from 'preact/hooks';
import { PageHeader, Tabs } from '../../parts/index.ts';
import { metadata as texts } from '../../texts/index.ts';
import { ChangeOnDisk } from './change-on-disk.tsx';
import { Files } from './files.tsx';
import { ReportView } from './report.tsx';

const METADATA_VIEWS = [
  { id: 'change', label: texts.pending.tab },
  { id: 'report', label: texts.report.tab },
  { id: 'files', label: texts.files.tab },
] as const;

/** The metadata, to be read and reloaded. It is edited as files. */
export function MetadataPage() {
  const [view, setView] = useState<string>(METADATA_VIEWS[0].id);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Tabs label={texts.views} tabs={METADATA_VIEWS} chosen={view} onChoose={setView}>
        {view === 'change' && <ChangeOnDisk />}
        {view === 'report' && <ReportView />}
        {view === 'files' && <Files />}
      </Tabs>
    </>
  );
}
