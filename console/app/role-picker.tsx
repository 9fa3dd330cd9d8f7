import { useId } from 'preact/hooks';
import { callMetadataApi, type Page } from '../api/index.ts';
import { useLoaded } from '../parts/index.ts';
import { allowedRoles, authorized, pickRole, role } from '../session/index.ts';
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
        <AnyRole id={id} />
      )}
    </div>
  );
}

/** Roles that are offered; others can be typed. */
const MOST_ROLES = 500;
/** What stands for all roles that the metadata does not name. */
const UNNAMED_ROLES = '*';

/** A role that is typed, with those that the metadata names to choose from. */
function AnyRole({ id }: { readonly id: string }) {
  // Without them any role can be typed all the same.
  const { value: known } = useLoaded(
    (signal) =>
      authorized(
        (headers) => callMetadataApi<Page<string>>('portico_get_roles', { limit: MOST_ROLES }, { headers, signal }),
        'admin',
      ),
    [],
  );
  return (
    <>
      <input
        id={id}
        value={role.value}
        size={14}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        list={`${id}-known`}
        // Browsers offer what begins as the text does.
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => pickRole(event.currentTarget.value.trim())}
      />
      <datalist id={`${id}-known`}>
        {known?.items.map((name) => name !== UNNAMED_ROLES && <option key={name} value={name} />)}
      </datalist>
    </>
  );
}
