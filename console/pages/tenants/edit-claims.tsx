import { useState } from 'preact/hooks';
import {
  ChangeForm,
  type Claim,
  ClaimsField,
  change,
  type Tenant,
  tellOutcome,
  useRecordForm,
} from '../../administration/index.ts';
import { Field } from '../../parts/index.ts';
import { tenants as texts } from '../../texts/index.ts';
import { SET_ROLE_CLAIMS, SET_TENANT_CLAIMS } from './documents.ts';

interface EditTenantClaimsProps {
  readonly tenant: Tenant;
  readonly onChange: () => void;
}

/** The extra claims of all users of a tenant. */
export function EditTenantClaims({ tenant, onChange }: EditTenantClaimsProps) {
  const form = useRecordForm(plain(tenant.claims));
  async function run() {
    await form.save((claims) => change(SET_TENANT_CLAIMS, { data: { tenant_id: tenant.tenant_id, claims } }));
    tellOutcome(texts.tenantClaims.saved);
    onChange();
  }
  return (
    <section class="card lone" aria-labelledby="tenant-claims">
      <h2 id="tenant-claims">{texts.tenantClaims.title}</h2>
      <ChangeForm fields={['claims']} submit={texts.tenantClaims.submit} run={run} record={form}>
        {(problemOf) => (
          <ClaimsField
            claims={form.values}
            names={undefined}
            problem={problemOf('claims')}
            onChange={(claims) => form.edit([...claims])}
          />
        )}
      </ChangeForm>
    </section>
  );
}

interface RoleClaims {
  readonly role: string;
  readonly claims: readonly Claim[];
}

const NO_ROLE_CLAIMS: RoleClaims = { role: '', claims: [] };

/** The extra claims of all users of a tenant who have a role, which the auth service does not show. */
export function EditRoleClaims({ tenant }: { readonly tenant: Tenant }) {
  const [edited, setEdited] = useState(NO_ROLE_CLAIMS);
  const { role, claims } = edited;
  async function run() {
    await change(SET_ROLE_CLAIMS, { data: { tenant_id: tenant.tenant_id, role, claims: plain(claims) } });
    tellOutcome(texts.roleClaims.saved(role));
    // What was typed meanwhile stays.
    setEdited((latest) => (latest === edited ? NO_ROLE_CLAIMS : latest));
  }
  return (
    <section class="card" aria-labelledby="role-claims">
      <h2 id="role-claims">{texts.roleClaims.title}</h2>
      <p class="dim">{texts.roleClaims.help}</p>
      <ChangeForm fields={['role', 'claims']} submit={texts.roleClaims.submit} run={run}>
        {(problemOf) => (
          <>
            <Field
              label={texts.roleClaims.role}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={role}
              problem={problemOf('role')}
              onInput={(event) => setEdited({ ...edited, role: event.currentTarget.value })}
            />
            <ClaimsField
              claims={claims}
              names={undefined}
              problem={problemOf('claims')}
              onChange={(changed) => setEdited({ ...edited, claims: changed })}
            />
          </>
        )}
      </ChangeForm>
    </section>
  );
}

function plain(claims: readonly Claim[]): Claim[] {
  return claims.map(({ name, value }) => ({ name, value }));
}
