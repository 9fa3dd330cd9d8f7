import { useState } from 'preact/hooks';
import {
  ActionButton,
  type Administered,
  ConfirmDialog,
  change,
  Link,
  pathFor,
  type Tenant,
  tellOutcome,
  tenantIdOf,
} from '../../administration/index.ts';
import { Button, LoadFailure, PageHeader, Time, useLoaded } from '../../parts/index.ts';
import { query, role } from '../../session/index.ts';
import { administrationPages, shell, tenants as texts } from '../../texts/index.ts';
import { DISABLE_TENANT, ENABLE_TENANT, TENANT_DETAILS } from './documents.ts';
import { EditAssignable } from './edit-assignable.tsx';
import { EditRoleClaims, EditTenantClaims } from './edit-claims.tsx';
import { TenantState } from './tenant-state.tsx';

interface TenantDetailsProps {
  readonly administered: Administered;
  /** As the address has it. */
  readonly id: string;
}

/** One tenant: what belongs to it, and what its administrators may give, which operators change. */
export function TenantDetails({ administered, id }: TenantDetailsProps) {
  const { value, error, reload } = useLoaded(
    async (signal) =>
      (await query(TENANT_DETAILS, { tenant_id: tenantIdOf(id) ?? 0 }, { signal })).auth_admin_tenant_get,
    [role.value, id],
  );
  return (
    <>
      <p>
        <Link to="tenants">{texts.all}</Link>
      </p>
      <PageHeader title={value?.name ?? administrationPages.tenants} />
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {value && (
        <>
          <TenantFacts tenant={value} />
          <nav class="card row" aria-label={texts.ofTenant}>
            {(['users', 'clients', 'throttled', 'audit'] as const).map((page) => (
              <Link key={page} to={pathFor({ ...administered, tenant: value }, page)}>
                {administrationPages[page]}
              </Link>
            ))}
          </nav>
          {administered.isOperator && (
            <>
              <Actions tenant={value} onChange={reload} />
              <EditAssignable tenant={value} onChange={reload} />
              <EditTenantClaims tenant={value} onChange={reload} />
              <EditRoleClaims tenant={value} />
            </>
          )}
        </>
      )}
    </>
  );
}

function TenantFacts({ tenant }: { readonly tenant: Tenant }) {
  const listed = (names: readonly string[]) => names.join(', ') || texts.none;
  return (
    <dl class="facts card">
      <dt>{texts.state}</dt>
      <dd>
        <TenantState tenant={tenant} />
      </dd>
      <dt>{texts.id}</dt>
      <dd>{tenant.tenant_id}</dd>
      <dt>{texts.created}</dt>
      <dd>
        <Time at={tenant.created_at} />
      </dd>
      <dt>{texts.assignableRoles}</dt>
      <dd>{listed(tenant.assignable_roles)}</dd>
      <dt>{texts.assignableClaims}</dt>
      <dd>{listed(tenant.assignable_claims)}</dd>
      <dt>{texts.assignableScopes}</dt>
      <dd>{listed(tenant.assignable_scopes)}</dd>
      <dt>{texts.claims}</dt>
      <dd>{listed(tenant.claims.map(({ name, value }) => `${name}: ${value}`))}</dd>
    </dl>
  );
}

interface ActionsProps {
  readonly tenant: Tenant;
  readonly onChange: () => void;
}

function Actions({ tenant: { tenant_id, name, disabled_at: disabledAt }, onChange }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  async function set(document: typeof DISABLE_TENANT, text: string) {
    await change(document, { data: { tenant_id } });
    setAsking(false);
    tellOutcome(text);
    onChange();
  }
  return (
    <section class="card" aria-labelledby="actions">
      <h2 id="actions">{texts.access}</h2>
      {disabledAt === null ? (
        <Button kind="danger" onClick={() => setAsking(true)}>
          {texts.disable}
        </Button>
      ) : (
        <ActionButton run={() => set(ENABLE_TENANT, texts.enabled(name))}>{texts.enable}</ActionButton>
      )}
      {isAsking && (
        <ConfirmDialog
          title={texts.disableTitle(name)}
          text={texts.disableText}
          submit={texts.disable}
          typed={name}
          onClose={() => setAsking(false)}
          run={() => set(DISABLE_TENANT, texts.disabled(name))}
        />
      )}
    </section>
  );
}
