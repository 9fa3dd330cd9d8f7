import { buildASTSchema, parse } from 'graphql';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import { ADMIN_ROLE } from '../../session/index.ts';
import { type CustomizedSchema, customize } from '../customization/index.ts';
import { takePresets } from '../permissions/index.ts';

/** What a role will see of a remote schema once it is available, as far as the metadata says: `any` says nothing. */
export type PromisedSchema = CustomizedSchema | 'any' | 'nothing';

/**
 * What the permissions of a remote schema promise to a role, in the graph's names. It is worked out without the remote's
 * schema, so that it says what may be asked for and nothing can be executed with it.
 */
export function promisedSchema(metadata: RemoteSchemaMetadata, role: string, publicRole: string): PromisedSchema {
  if (role === ADMIN_ROLE) return 'any';
  if (!metadata.permissions) return role === publicRole ? 'nothing' : 'any';
  const permission = metadata.permissions.find((one) => one.role === role);
  if (!permission) return 'nothing';
  try {
    const { visible } = takePresets(parse(permission.definition.schema));
    const part = buildASTSchema(visible, { assumeValidSDL: true });
    return customize(part, part, metadata.definition.customization);
  } catch {
    // Such a permission will not fit the remote either.
    return 'nothing';
  }
}
