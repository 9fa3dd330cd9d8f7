import { ADMIN_ROLE } from '../../access/session/index.ts';
import { type Metadata, namedRoles } from '../../metadata/index.ts';

/** Stands for all roles that the metadata does not name. Their view is visible to every caller with a token. */
export const ANY_OTHER_ROLE = '*';

/** Returns every role that the metadata names, and the roles that always exist. */
export function checkedRoles(all: readonly Metadata[], publicRole: string): readonly string[] {
  return [...new Set([ADMIN_ROLE, publicRole, ...all.flatMap(namedRoles), ANY_OTHER_ROLE])];
}
