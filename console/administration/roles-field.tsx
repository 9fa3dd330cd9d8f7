import { Select } from '../parts/index.ts';
import { administration as texts } from '../texts/index.ts';
import { NamesField } from './names-field.tsx';

/** Roles, with the one that counts where none is picked. */
export interface Roles {
  readonly roles: readonly string[];
  /** One of them; the first where it is none of them. */
  readonly defaultRole: string;
}

interface RolesFieldProps {
  readonly value: Roles;
  /** The roles that a tenant's administrators may give. */
  readonly assignable: readonly string[];
  readonly isOperator: boolean;
  readonly problemOf: (field: string) => string | undefined;
  readonly onChange: (value: Roles) => void;
}

/** The roles of a user or service account. Only those are offered that the caller may give. */
export function RolesField({ value, assignable, isOperator, problemOf, onChange }: RolesFieldProps) {
  const { roles } = value;
  return (
    <>
      <NamesField
        label={texts.form.roles}
        help={isOperator ? undefined : texts.form.assignable}
        problem={problemOf('roles') ?? problemOf('default_role')}
        offered={assignable}
        chosen={roles}
        onChange={(chosen) => onChange({ ...value, roles: chosen })}
        {...(isOperator && { other: texts.form.otherRole })}
      />
      {roles.length > 1 && (
        <div class="field">
          <Select
            label={texts.form.defaultRole}
            value={defaultRoleOf(value)}
            options={roles.map((name) => ({ value: name, label: name }))}
            onChange={(defaultRole) => onChange({ ...value, defaultRole })}
          />
        </div>
      )}
    </>
  );
}

function defaultRoleOf({ roles, defaultRole }: Roles): string {
  return roles.includes(defaultRole) ? defaultRole : (roles[0] ?? '');
}

/** As mutations take them. */
export function roleArguments(value: Roles) {
  return { roles: [...value.roles], default_role: value.roles.length === 0 ? null : defaultRoleOf(value) };
}
