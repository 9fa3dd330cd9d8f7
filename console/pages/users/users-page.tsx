import { AdministeredPage, TenantChoice, useHeadingFocus } from '../../administration/index.ts';
import { PageHeader } from '../../parts/index.ts';
import { path } from '../../routing/index.ts';
import { administrationPages, users as texts } from '../../texts/index.ts';
import { UserDetails } from './user-details.tsx';
import { UserList } from './user-list.tsx';

/** The users of a tenant, and each of them at an address of its own. */
export function UsersPage() {
  const [, userId] = path.value.split('/');
  const place = useHeadingFocus(userId);
  return (
    <div ref={place}>
      {userId === undefined && <PageHeader title={administrationPages.users} lead={texts.lead} />}
      <AdministeredPage isOfTenant title={userId && administrationPages.users}>
        {(administered) =>
          userId !== undefined ? (
            <UserDetails key={userId} administered={administered} userId={userId} />
          ) : administered.tenant ? (
            <UserList administered={administered} tenant={administered.tenant} />
          ) : (
            <TenantChoice />
          )
        }
      </AdministeredPage>
    </div>
  );
}
