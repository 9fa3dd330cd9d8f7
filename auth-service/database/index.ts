export { type AcrossTenantsReason, asTenant } from './across-tenants.ts';
export { carriesCredentials, isDatabaseUrl } from './address.ts';
export { connectToDatabase, retryWhileUnavailable } from './connect.ts';
export {
  type Database,
  type DatabaseUsage,
  openDatabase,
  type SharedTransaction,
  type SingleStatements,
  type Transaction,
  type TransactionOptions,
} from './database.ts';
export { DATABASE_LOGINS, databasePasswordProblems, refuseContradictoryLogin } from './database-login.ts';
export { Prisma, SigningKeyState } from './generated/client.ts';
export { isDatabaseUnavailable } from './is-unavailable.ts';
export { migrate, pendingMigrations } from './migrate.ts';
export { DATABASE_BOUNDS_MS, DATABASE_OPERATIONS, type DatabaseOperation } from './operations.ts';
export { prepareServiceRoleOf } from './service-role.ts';
export { type SetupUrls, setUpRoles } from './set-up-roles.ts';
export { StatementError } from './single-statements.ts';
export type { Statement } from './tenant-scoped-query.ts';
export { checkDatabaseUser, readUserRights, type SuperuserPolicy } from './user-rights.ts';
