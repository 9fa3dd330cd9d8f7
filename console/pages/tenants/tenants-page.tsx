import { AdministeredPage, useHeadingFocus } from '../../administration/index.ts';
import { PageHeader } from '../../parts/index.ts';
import { path } from '../../routing/index.ts';
import { administrationPages, tenants as texts } from '../../texts/index.ts';
import { TenantDetails } from './tenant-details.tsx';
import { TenantList } from './tenant-list.tsx';

/** The tenants, and each of them at an address of its own. */
export function TenantsPage() {
  const [, id] = path.value.split('/');
  const place = useHeadingFocus(id);
  return (
    <div ref={place}>
      {id === undefined && <PageHeader title={administrationPages.tenants} lead={texts.lead} />}
      <AdministeredPage isOfTenant={false} title={id && administrationPages.tenants}>
        {(administered) =>
          id === undefined ? (
            <TenantList administered={administered} />
          ) : (
            <TenantDetails key={id} administered={administered} id={id} />
          )
        }
      </AdministeredPage>
    </div>
  );
}
