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
import { CREATE_CLIENT } from './documents.ts';

const newClientTexts = clients.create;

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
    const { client, client_secret: secret } = await change(CREATE_CLIENT, {
      data: { tenant_id: tenant.tenant_id, name, ...roleArguments(roles), scopes: [...scopes] },
    });
    onCreated({
      title: newClientTexts.done(client.name),
      text: newClientTexts.secretText,
      values: [
        [newClientTexts.id, client.client_id],
        [newClientTexts.secret, secret],
      ],
    });
  }
  return (
    <Dialog title={newClientTexts.title} onClose={onClose}>
      <ChangeForm
        fields={['name', 'roles', 'default_role', 'scopes']}
        submit={newClientTexts.submit}
        run={run}
        onCancel={onClose}
      >
        {(problemOf) => (
          <>
            <Field
              label={newClientTexts.name}
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
              label={newClientTexts.scopes}
              problem={problemOf('scopes')}
              offered={tenant.assignable_scopes}
              chosen={scopes}
              onChange={setScopes}
              {...(administered.isOperator && { other: newClientTexts.otherScope })}
            />
          </>
        )}
      </ChangeForm>
    </Dialog>
  );
}
