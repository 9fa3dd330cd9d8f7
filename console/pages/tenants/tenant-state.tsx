import type { Tenant } from '../../administration/index.ts';
import { administration } from '../../texts/index.ts';

/** Whether the users of a tenant may log in. */
export function TenantState({ tenant }: { readonly tenant: Tenant }) {
  return tenant.disabled_at === null ? (
    <span class="badge good">{administration.state.enabled}</span>
  ) : (
    <span class="badge bad">{administration.state.disabled}</span>
  );
}
