import { buildASTSchema, parse } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import { type CustomizedSchema, customize } from '../customization/index.ts';
import { takePresets } from '../permissions/index.ts';

/**
 * The part of an unavailable remote schema that a role will see, according to the metadata. `any` if the metadata does
 * not list it.
 */
export type PromisedSchema = CustomizedSchema | 'any' | 'nothing';

/**
 * Returns the part of a remote schema that its permissions grant a role, in the graph's names. The result is computed
 * without the remote's schema, so it only decides which fields may exist and cannot execute anything.
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
    // Such a permission will not fit the remote schema either.
    return 'nothing';
  }
}
