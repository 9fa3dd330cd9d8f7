import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/index.ts';
import { Button, LoadFailure, Notice, PageHeader, useLoaded } from '../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../routing/index.ts';
import {
  ADMINISTRATOR_ROLES,
  allowedRoles,
  kindOfSession,
  pickRole,
  query,
  role,
  whenLoggedOut,
} from '../session/index.ts';
import { shell, administration as texts } from '../texts/index.ts';
import { ADMINISTRATOR, type Tenant } from './documents.ts';
import { OutcomeNotice } from './outcome.tsx';
import { tenantIdOf } from './tenant-id.ts';

/** What a page administers, as whom. */
export interface Administered {
  /** Whether the caller administers all tenants and the platform. */
  readonly isOperator: boolean;
  /** The tenant of the page; undefined for an operator who has picked none. */
  readonly tenant: Tenant | undefined;
  /** Reads it again. */
  readonly reload: () => void;
}

/** The tenant that an operator has picked last, for pages that are opened without one. */
const lastTenant = signal<string | undefined>(undefined);
whenLoggedOut(() => {
  lastTenant.value = undefined;
});

/** Has an operator pick the tenant of the page again. */
export function pickOtherTenant(): void {
  if (goTo(path.value.replace(/\/.*/, ''))) lastTenant.value = undefined;
}

interface AdministeredPageProps {
  /** Whether operators pick a tenant first. */
  readonly isOfTenant: boolean;
  /** The heading where it cannot be shown, of a page that has its own once it is loaded. */
  readonly title?: string | undefined;
  readonly children: (administered: Administered) => ComponentChildren;
}

/** Shows a page of administrators to those who are, by what the auth service says, and why not to others. */
export function AdministeredPage({ isOfTenant, title, children }: AdministeredPageProps) {
  const named = parameters.value.get('tenant') ?? undefined;
  const { value, error, reload } = useLoaded(
    async (signal) => {
      const tenantId = named === undefined ? null : tenantIdOf(named);
      if (tenantId === undefined) throw new ApiError('unknown-tenant', texts.unknownTenant, 404);
      return query(ADMINISTRATOR, { tenant_id: tenantId, names_tenant: named !== undefined }, { signal });
    },
    [role.value, named],
  );
  const isOperator = value?.auth_admin_me?.acting_as === 'platform-operator';
  useEffect(() => {
    if (!isOperator || !isOfTenant) return;
    if (named !== undefined) lastTenant.value = named;
    else if (lastTenant.value !== undefined)
      goTo(pathWith(path.value, { ...Object.fromEntries(parameters.value), tenant: lastTenant.value }), {
        replaces: true,
      });
  }, [isOperator, isOfTenant, named]);
  if (error !== undefined)
    return (
      <>
        {title !== undefined && <PageHeader title={title} />}
        <NotAdministered error={error} reload={reload} isOther={named !== undefined} />
      </>
    );
  if (!value) return <p class="loading dim">{shell.loading}</p>;
  const tenant = value.auth_admin_tenant_get ?? value.auth_admin_me?.tenant ?? undefined;
  return (
    <div class="administration">
      {children({ isOperator, tenant, reload })}
      <OutcomeNotice />
    </div>
  );
}

interface NotAdministeredProps {
  readonly error: unknown;
  readonly reload: () => void;
  /** Whether the address names a tenant. */
  readonly isOther: boolean;
}

/** Why a caller may not administer here, and what they can do about it. */
function NotAdministered({ error, reload, isOther }: NotAdministeredProps) {
  const other = allowedRoles.value?.find((name) => ADMINISTRATOR_ROLES.has(name));
  if (other !== undefined && other !== role.value)
    return (
      <Notice kind="info">
        <p>{texts.otherRole(other)}</p>
        <Button kind="primary" onClick={() => pickRole(other)}>
          {texts.takeRole(other)}
        </Button>
      </Notice>
    );
  if (kindOfSession.value === 'admin-secret' && error instanceof ApiError && error.isUnauthenticated)
    return <Notice kind="bad">{texts.adminSecret}</Notice>;
  const isUnseen = error instanceof ApiError && error.code === 'validation-failed';
  return (
    <>
      {isUnseen ? <Notice kind="bad">{texts.notAdministrator}</Notice> : <LoadFailure error={error} reload={reload} />}
      {isOther && <Button onClick={() => goTo(path.value)}>{texts.withoutTenant}</Button>}
    </>
  );
}

/** The address of a page about the same tenant. */
export function pathFor(
  { isOperator, tenant }: Pick<Administered, 'isOperator' | 'tenant'>,
  to: string,
  given: Readonly<Record<string, string | undefined>> = {},
): string {
  return pathWith(to, { ...(isOperator && { tenant: tenant && String(tenant.tenant_id) }), ...given });
}
