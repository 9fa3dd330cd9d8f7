import { useState } from 'preact/hooks';
import { AdministeredPage, ConfirmDialog, change, PagedList, tellOutcome } from '../../administration/index.ts';
import { Button, Notice, PageHeader, Time, useLoaded } from '../../parts/index.ts';
import { query, role } from '../../session/index.ts';
import { administrationPages, keys as texts } from '../../texts/index.ts';
import { KEY_LIST, type Key, RETIRE, ROTATE } from './documents.ts';

/** What is typed of a key's id before it is removed. */
const TYPED_LENGTH = 8;

/** The keys that sign access tokens. */
export function KeysPage() {
  return (
    <>
      <PageHeader title={administrationPages.keys} lead={texts.lead} />
      <AdministeredPage isOfTenant={false}>
        {({ isOperator }) => (isOperator ? <Keys /> : <Notice kind="bad">{texts.operatorsOnly}</Notice>)}
      </AdministeredPage>
    </>
  );
}

function Keys() {
  const loaded = useLoaded(
    async (signal) => ({ entries: (await query(KEY_LIST, {}, { signal })).auth_admin_key_list ?? [], next: null }),
    [role.value],
  );
  const [isRotating, setRotating] = useState(false);
  const [retired, setRetired] = useState<Key | undefined>(undefined);
  return (
    <>
      <div class="toolbar">
        <Button kind="primary" onClick={() => setRotating(true)}>
          {texts.rotate}
        </Button>
      </div>
      <PagedList
        label={texts.list}
        loaded={loaded}
        summary={(entries) => texts.count(entries.length)}
        columns={[
          texts.kid,
          texts.state,
          texts.created,
          texts.signsFrom,
          texts.signedUntil,
          texts.removed,
          texts.actions,
        ]}
        row={(key) => <KeyRow key={key.kid} value={key} onRetire={() => setRetired(key)} />}
      />
      {isRotating && (
        <ConfirmDialog
          title={texts.rotateTitle}
          text={texts.rotateText}
          submit={texts.rotate}
          onClose={() => setRotating(false)}
          run={async () => {
            const { begun, signs_from: from } = await change(ROTATE, {});
            setRotating(false);
            const time = new Date(from).toLocaleString();
            tellOutcome(begun ? texts.rotated(time) : texts.underWay(time));
            loaded.reload();
          }}
        />
      )}
      {retired && (
        <ConfirmDialog
          title={texts.retireTitle}
          text={texts.retireText}
          submit={texts.retire}
          typed={retired.kid.slice(0, TYPED_LENGTH)}
          onClose={() => setRetired(undefined)}
          run={async () => {
            await change(RETIRE, { data: { kid: retired.kid } });
            setRetired(undefined);
            tellOutcome(texts.retired);
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

const BADGES: Readonly<Record<string, string>> = { active: 'good', next: '', retired: 'warn' };

function KeyRow({ value: key, onRetire }: { readonly value: Key; readonly onRetire: () => void }) {
  return (
    <tr>
      <td data-label={texts.kid}>
        <code class="small">{key.kid}</code> <span class="dim small">{key.algorithm}</span>
      </td>
      <td data-label={texts.state}>
        <span class={`badge ${BADGES[key.state] ?? ''}`}>{key.state}</span>
      </td>
      <td data-label={texts.created}>
        <Time at={key.created_at} />
      </td>
      <td data-label={texts.signsFrom}>
        <Time at={key.signs_from} />
      </td>
      <td data-label={texts.signedUntil}>{key.signed_until === null ? texts.none : <Time at={key.signed_until} />}</td>
      <td data-label={texts.removed}>{key.removed_at === null ? texts.none : <Time at={key.removed_at} />}</td>
      <td data-label={texts.actions}>
        {key.state === 'active' ? (
          <span class="dim">{texts.signs}</span>
        ) : (
          <Button kind="quiet" aria-label={texts.retireOf(key.kid)} onClick={onRetire}>
            {texts.retire}
          </Button>
        )}
      </td>
    </tr>
  );
}
