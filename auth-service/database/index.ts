export { carriesCredentials, isDatabaseUrl, withPassword } from './address.ts';
export { type Database, openDatabase, type Transaction } from './client.ts';
export { connectToDatabase } from './connect.ts';
export { Prisma, SigningKeyState } from './generated/client.ts';
export { migrate, pendingMigrations } from './migrate.ts';
