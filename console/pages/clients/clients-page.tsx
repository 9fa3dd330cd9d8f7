import { useState } from 'preact/hooks';
import {
  type Administered,
  AdministeredPage,
  ConfirmDialog,
  CurrentTenant,
  change,
  PagedList,
  pageCursor,
  SecretDialog,
  type ShownSecret,
  type Tenant,
  TenantChoice,
  tellOutcome,
} from '../../administration/index.ts';
import { Button, PageHeader, Time, useLoaded } from '../../parts/index.ts';
import { query, role } from '../../session/index.ts';
import { administration, administrationPages, clients as texts } from '../../texts/index.ts';
import { CreateClientDialog } from './create-client-dialog.tsx';
import { CLIENT_LIST, type ClientEntry, REVOKE } from './documents.ts';

/** The service accounts of a tenant. */
export function ClientsPage() {
  return (
    <>
      <PageHeader title={administrationPages.clients} lead={texts.lead} />
      <AdministeredPage isOfTenant>
        {(administered) =>
          administered.tenant ? (
            <ClientsOfTenant administered={administered} tenant={administered.tenant} />
          ) : (
            <TenantChoice />
          )
        }
      </AdministeredPage>
    </>
  );
}

interface ClientsProps {
  readonly administered: Administered;
  readonly tenant: Tenant;
}

function ClientsOfTenant({ administered, tenant }: ClientsProps) {
  const after = pageCursor();
  const tenantId = tenant.tenant_id;
  const loaded = useLoaded(
    async (signal) => (await query(CLIENT_LIST, { tenant_id: tenantId, after }, { signal })).auth_admin_client_list,
    [role.value, tenantId, after],
  );
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | undefined>(undefined);
  const [revoked, setRevoked] = useState<ClientEntry | undefined>(undefined);
  return (
    <>
      <CurrentTenant administered={administered} />
      <div class="toolbar">
        <Button kind="primary" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      </div>
      <PagedList
        label={texts.list}
        loaded={loaded}
        summary={(entries) => texts.count(entries.length)}
        columns={[texts.name, texts.id, texts.roles, texts.scopes, texts.state, texts.created, texts.actions]}
        row={(client) => <ClientTableRow key={client.client_id} client={client} onRevoke={() => setRevoked(client)} />}
      />
      {isAdding && (
        <CreateClientDialog
          administered={administered}
          tenant={tenant}
          onClose={() => setAdding(false)}
          onCreated={(created) => {
            setAdding(false);
            setSecret(created);
            loaded.reload();
          }}
        />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
      {revoked && (
        <ConfirmDialog
          title={texts.revokeTitle(revoked.name)}
          text={texts.revokeText}
          submit={texts.revoke}
          typed={revoked.name}
          onClose={() => setRevoked(undefined)}
          run={async () => {
            await change(REVOKE, { data: { tenant_id: tenantId, client_id: revoked.client_id } });
            setRevoked(undefined);
            tellOutcome(texts.revoked(revoked.name));
            loaded.reload();
          }}
        />
      )}
    </>
  );
}

function ClientTableRow({ client, onRevoke }: { readonly client: ClientEntry; readonly onRevoke: () => void }) {
  const isActive = client.revoked_at === null;
  return (
    <tr>
      <td data-label={texts.name}>{client.name}</td>
      <td data-label={texts.id}>
        <code class="small">{client.client_id}</code>
      </td>
      <td data-label={texts.roles}>{client.allowed_roles.join(', ')}</td>
      <td data-label={texts.scopes}>{client.scopes.join(' ') || texts.noScopes}</td>
      <td data-label={texts.state}>
        <span class={`badge ${isActive ? 'good' : 'bad'}`}>
          {isActive ? administration.state.active : administration.state.revoked}
        </span>
      </td>
      <td data-label={texts.created}>
        <Time at={client.created_at} />
      </td>
      <td data-label={texts.actions}>
        {isActive && client.manageable ? (
          <Button kind="quiet" aria-label={texts.revokeOf(client.name)} onClick={onRevoke}>
            {texts.revoke}
          </Button>
        ) : (
          <span class="dim">{isActive ? texts.notManageable : texts.none}</span>
        )}
      </td>
    </tr>
  );
}
