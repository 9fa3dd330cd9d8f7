import { useState } from 'preact/hooks';
import {
  type Administered,
  ChangeForm,
  change,
  NamesField,
  type Roles,
  RolesField,
  roleArguments,
  type ShownSecret,
  type Tenant,
} from '../../administration/index.ts';
import { Dialog, Field } from '../../parts/index.ts';
import { clients } from '../../texts/index.ts';
import { CREATE } from './documents.ts';

const texts = clients.create;

interface CreateClientDialogProps {
  readonly administered: Administered;
  readonly tenant: Tenant;
  readonly onClose: () => void;
  readonly onCreated: (secret: ShownSecret) => void;
}

export function CreateClientDialog({ administered, tenant, onClose, onCreated }: CreateClientDialogProps) {
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<Roles>({ roles: [], defaultRole: '' });
  const [scopes, setScopes] = useState<readonly string[]>([]);
  async function run() {
    const { client, client_secret: secret } = await change(CREATE, {
      data: { tenant_id: tenant.tenant_id, name, ...roleArguments(roles), scopes: [...scopes] },
    });
    onCreated({
      title: texts.done(client.name),
      text: texts.secretText,
      values: [
        [texts.id, client.client_id],
        [texts.secret, secret],
      ],
    });
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <ChangeForm
        fields={['name', 'roles', 'default_role', 'scopes']}
        submit={texts.submit}
        run={run}
        onCancel={onClose}
      >
        {(problemOf) => (
          <>
            <Field
              label={texts.name}
              autocomplete="off"
              value={name}
              problem={problemOf('name')}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <RolesField
              value={roles}
              assignable={tenant.assignable_roles}
              isOperator={administered.isOperator}
              problemOf={problemOf}
              onChange={setRoles}
            />
            <NamesField
              label={texts.scopes}
              problem={problemOf('scopes')}
              offered={tenant.assignable_scopes}
              chosen={scopes}
              onChange={setScopes}
              {...(administered.isOperator && { other: texts.otherScope })}
            />
          </>
        )}
      </ChangeForm>
    </Dialog>
  );
}
