import { useId } from 'preact/hooks';
import { allowedRoles, pickRole, role } from '../session/index.ts';
import { shell } from '../texts/index.ts';

/** Picks the role that requests are made with: one that the token allows, or any with the admin secret. */
export function RolePicker() {
  const id = useId();
  const roles = allowedRoles.value;
  return (
    <div class="inline-field">
      <label for={id}>{shell.role}</label>
      {roles ? (
        <select id={id} value={role.value} onChange={(event) => pickRole(event.currentTarget.value)}>
          {roles.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          value={role.value}
          size={14}
          autocomplete="off"
          spellcheck={false}
          onChange={(event) => pickRole(event.currentTarget.value.trim())}
        />
      )}
    </div>
  );
}
