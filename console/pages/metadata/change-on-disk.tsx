import { useState } from 'preact/hooks';
import { callMetadataApi, type MetadataFileList, type MetadataPreview } from '../../api/index.ts';
import { Button, ErrorNotice, Notice, ProblemList, ScrollRegion, useLoaded, useRefresh } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { metadata, shell } from '../../texts/index.ts';

const pendingTexts = metadata.pending;

/** What the files on disk would change, before they are activated. */
export function ChangeOnDisk() {
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      authorized(async (headers) => ({
        preview: await callMetadataApi<MetadataPreview>('portico_preview_metadata', {}, { headers, signal }),
        files: await callMetadataApi<MetadataFileList>('portico_get_metadata_files', {}, { headers, signal }),
      })),
    [role.value],
  );
  const isWatched = value?.files.watched ?? true;
  // Where changed files wait for a reload, the page shows them while they are edited.
  useRefresh(isWatched ? undefined : reload);
  const [outcome, setOutcome] = useState<{ text?: string; error?: unknown; isBusy: boolean }>({ isBusy: false });
  async function activate() {
    setOutcome({ isBusy: true });
    try {
      const { is_consistent: isConsistent } = await authorized((headers) =>
        callMetadataApi<{ is_consistent: boolean }>('reload_metadata', {}, { headers }),
      );
      setOutcome({ text: isConsistent ? pendingTexts.reloaded : pendingTexts.reloadedInconsistent, isBusy: false });
    } catch (thrown) {
      setOutcome({ error: thrown, isBusy: false });
    }
    reload();
  }
  return (
    <>
      <div class="toolbar">
        <Button onClick={reload} isBusy={isLoading}>
          {pendingTexts.look}
        </Button>
        {role.value === 'admin' && (
          <Button kind="primary" onClick={() => void activate()} isBusy={outcome.isBusy}>
            {pendingTexts.reload}
          </Button>
        )}
      </div>
      {value && <p class="dim small">{value.files.watched ? pendingTexts.watched : pendingTexts.unwatched}</p>}
      {outcome.text !== undefined && <Notice kind="good">{outcome.text}</Notice>}
      {outcome.error !== undefined && <ErrorNotice error={outcome.error} />}
      {error !== undefined && <ErrorNotice error={error} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {value && <Preview preview={value.preview} />}
    </>
  );
}

function Preview({ preview }: { readonly preview: MetadataPreview }) {
  const { pending, valid, problems, missing, changes, breaking } = preview;
  if (!valid)
    return (
      <>
        <Notice kind="bad">{pendingTexts.invalid}</Notice>
        <section class="card" aria-labelledby="preview-problems">
          <h2 id="preview-problems">{pendingTexts.problems}</h2>
          <ProblemList items={problems.items} />
        </section>
      </>
    );
  const total = changes.items.length + changes.omitted;
  return (
    <>
      <Notice kind="info">{pending ? pendingTexts.valid : pendingTexts.none}</Notice>
      {missing.items.length > 0 && (
        <section class="card" aria-labelledby="preview-missing">
          <h2 id="preview-missing">{pendingTexts.missing}</h2>
          <ProblemList items={missing.items.map(({ name, reason }) => ({ file: name, message: reason }))} />
        </section>
      )}
      {pending && (
        <section class="card" aria-labelledby="preview-changes">
          <h2 id="preview-changes">{total === 0 ? pendingTexts.noChanges : pendingTexts.changes(total, breaking)}</h2>
          {total > 0 && <Changes preview={preview} />}
        </section>
      )}
    </>
  );
}

function Changes({ preview: { changes, usage_days: days } }: { readonly preview: MetadataPreview }) {
  return (
    <ScrollRegion class="wrap" label={pendingTexts.change}>
      <table>
        <thead>
          <tr>
            <th>{pendingTexts.change}</th>
            <th>{pendingTexts.roles}</th>
            {days !== null && <th>{pendingTexts.usage(days)}</th>}
          </tr>
        </thead>
        <tbody>
          {changes.items.map(({ breaking, message, roles, roles_omitted: omitted = 0, usage }) => (
            <tr key={message}>
              <td>
                {breaking && <span class="badge bad">{metadata.breaking}</span>} {message}
              </td>
              <td>
                {roles?.join(', ') ?? pendingTexts.everyone}
                {omitted > 0 && `, ${metadata.omitted(omitted)}`}
              </td>
              {days !== null && (
                <td>
                  {usage && pendingTexts.verdicts[usage.verdict]}
                  {usage && usage.count > 0 && ` ${pendingTexts.uses(usage.count)}`}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {changes.omitted > 0 && <p class="dim">{metadata.omitted(changes.omitted)}</p>}
    </ScrollRegion>
  );
}
