import { ADMIN_ROLE } from '../../access/session/index.ts';
import { type Metadata, namedRoles } from '../../metadata/index.ts';

/** Stands for all roles that no metadata names: what they see is visible to every caller with a token. */
export const ANY_OTHER_ROLE = '*';

/** Every role that the metadata names, and those that always exist. */
export function checkedRoles(all: readonly Metadata[], publicRole: string): readonly string[] {
  return [...new Set([ADMIN_ROLE, publicRole, ...all.flatMap(namedRoles), ANY_OTHER_ROLE])];
}
