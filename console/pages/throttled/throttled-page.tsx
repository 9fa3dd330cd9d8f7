import {
  ActionButton,
  type Administered,
  AdministeredPage,
  CurrentTenant,
  change,
  Link,
  PagedList,
  pageCursor,
  pathFor,
  RELEASE_USER,
  type Tenant,
  TenantChoice,
  tellOutcome,
} from '../../administration/index.ts';
import { Button, PageHeader, Time, useLoaded } from '../../parts/index.ts';
import { query, role } from '../../session/index.ts';
import { administrationPages, throttled as texts } from '../../texts/index.ts';
import { THROTTLED_LIST } from './documents.ts';

/** Accounts that have to wait after failed logins. */
export function ThrottledPage() {
  return (
    <>
      <PageHeader title={administrationPages.throttled} lead={texts.lead} />
      <AdministeredPage isOfTenant>
        {(administered) =>
          administered.tenant ? (
            <ThrottledOfTenant administered={administered} tenant={administered.tenant} />
          ) : (
            <TenantChoice />
          )
        }
      </AdministeredPage>
    </>
  );
}

interface ThrottledProps {
  readonly administered: Administered;
  readonly tenant: Tenant;
}

function ThrottledOfTenant({ administered, tenant: { tenant_id: tenantId } }: ThrottledProps) {
  const after = pageCursor();
  const loaded = useLoaded(
    async (signal) =>
      (await query(THROTTLED_LIST, { tenant_id: tenantId, after }, { signal })).auth_admin_throttled_list,
    [role.value, tenantId, after],
  );
  return (
    <>
      <CurrentTenant administered={administered} />
      <div class="toolbar">
        <Button onClick={loaded.reload}>{texts.refresh}</Button>
      </div>
      <PagedList
        label={texts.list}
        loaded={loaded}
        summary={(entries) => texts.count(entries.length, (loaded.value?.next ?? null) !== null)}
        columns={[texts.name, texts.until, texts.actions]}
        row={({ user: { user_id, username, manageable }, waits_until: until }) => (
          <tr key={user_id}>
            <td data-label={texts.name}>
              <Link to={pathFor(administered, `users/${user_id}`)}>{username}</Link>
            </td>
            <td data-label={texts.until}>
              <Time at={until} />
            </td>
            <td data-label={texts.actions}>
              {manageable ? (
                <ActionButton
                  aria-label={texts.releaseOf(username)}
                  run={async () => {
                    await change(RELEASE_USER, { data: { tenant_id: tenantId, user_id } });
                    tellOutcome(texts.released(username));
                    loaded.reload();
                  }}
                >
                  {texts.release}
                </ActionButton>
              ) : (
                <span class="dim">{texts.notManageable}</span>
              )}
            </td>
          </tr>
        )}
      />
    </>
  );
}
