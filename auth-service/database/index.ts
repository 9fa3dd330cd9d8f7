export type { AcrossTenantsReason } from './across-tenants.ts';
export { carriesCredentials, isDatabaseUrl, withPassword } from './address.ts';
export { connectToDatabase } from './connect.ts';
export {
  type Database,
  openDatabase,
  type SharedTransaction,
  type SingleStatements,
  type Transaction,
  type TransactionOptions,
} from './database.ts';
export { Prisma, SigningKeyState } from './generated/client.ts';
export { isDatabaseAway } from './is-away.ts';
export { migrate, pendingMigrations } from './migrate.ts';
export { prepareServiceRoleOf } from './service-role.ts';
export { type SetupUrls, setUpRoles } from './set-up-roles.ts';
export { StatementError } from './single-statements.ts';
export type { Statement } from './statement-in-sight.ts';
export { checkDatabaseUser, readUserRights, type SuperuserPolicy } from './user-rights.ts';
