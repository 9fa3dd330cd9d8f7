import { useState } from 'preact/hooks';
import { ChangeForm, change, tenantIdOf } from '../../administration/index.ts';
import { ApiError } from '../../api/index.ts';
import { Dialog, Field } from '../../parts/index.ts';
import { tenants } from '../../texts/index.ts';
import { CREATE_TENANT } from './documents.ts';

const newTenantTexts = tenants.create;

interface CreateTenantDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

export function CreateTenantDialog({ onClose, onCreated }: CreateTenantDialogProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  async function run() {
    // Another text is no number of the mutation's either, and would be refused without its field.
    const tenantId = tenantIdOf(id);
    if (tenantId === undefined) throw new ApiError('invalid-field', `tenant_id: ${newTenantTexts.idProblem}`, 400);
    const { tenant } = await change(CREATE_TENANT, { data: { tenant_id: tenantId, name } });
    onCreated(tenant.name);
  }
  return (
    <Dialog title={newTenantTexts.title} onClose={onClose}>
      <ChangeForm fields={['tenant_id', 'name']} submit={newTenantTexts.submit} run={run} onCancel={onClose}>
        {(problemOf) => (
          <>
            <Field
              label={newTenantTexts.id}
              help={newTenantTexts.idHelp}
              inputMode="numeric"
              autocomplete="off"
              value={id}
              problem={problemOf('tenant_id')}
              onInput={(event) => setId(event.currentTarget.value)}
            />
            <Field
              label={newTenantTexts.name}
              autocomplete="off"
              value={name}
              problem={problemOf('name')}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </>
        )}
      </ChangeForm>
    </Dialog>
  );
}
