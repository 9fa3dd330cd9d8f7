import { useState } from 'preact/hooks';
import { PageHeader, Tabs } from '../../parts/index.ts';
import { metadata as texts } from '../../texts/index.ts';
import { ChangeOnDisk } from './change-on-disk.tsx';
import { Files } from './files.tsx';
import { Report } from './report.tsx';

const VIEWS = [
  { id: 'change', label: texts.pending.tab },
  { id: 'report', label: texts.report.tab },
  { id: 'files', label: texts.files.tab },
] as const;

/** The metadata, to be read and reloaded. It is edited as files. */
export function MetadataPage() {
  const [view, setView] = useState<string>(VIEWS[0].id);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Tabs label={texts.views} tabs={VIEWS} chosen={view} onChoose={setView}>
        {view === 'change' && <ChangeOnDisk />}
        {view === 'report' && <Report />}
        {view === 'files' && <Files />}
      </Tabs>
    </>
  );
}
