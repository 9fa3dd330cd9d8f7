import { useState } from 'preact/hooks';
import { callMetadataApi, type Page } from '../../api/index.ts';
import { LoadFailure, PageHeader, Tabs, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { shell, graph as texts } from '../../texts/index.ts';
import { ComparedRoles } from './compared-roles.tsx';
import { GraphBySource } from './graph-by-source.tsx';

const GRAPH_VIEWS = [
  { id: 'by-source', label: texts.bySource },
  { id: 'compare', label: texts.compare },
] as const;
const MOST_ROLES = 500;

/** The graph by its sources and roles. */
export function GraphPage() {
  const [view, setView] = useState<string>(GRAPH_VIEWS[0].id);
  const {
    value: roles,
    error,
    reload,
  } = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<Page<string>>('portico_get_roles', { limit: MOST_ROLES }, { headers, signal }),
      ),
    [role.value],
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {!roles && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {roles && (
        <Tabs label={texts.views} tabs={GRAPH_VIEWS} chosen={view} onChoose={setView}>
          {view === 'compare' ? <ComparedRoles roles={roles.items} /> : <GraphBySource roles={roles.items} />}
        </Tabs>
      )}
    </>
  );
}
