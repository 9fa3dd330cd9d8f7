import { tenantTypeDefs } from './tenant-type-defs.ts';
import { userTypeDefs } from './user-type-defs.ts';

export { type AdministrationUseCases, createAdministrationFields } from './fields.ts';

/** The SDL of the fields of administrators. */
export const administrationTypeDefs = `${userTypeDefs}\n${tenantTypeDefs}`;
