import { openClient } from '../../auth-service/database/client.ts';
import type { PrismaClient } from '../../auth-service/database/generated/client.ts';

/** For what a test puts into a database and looks up in it: Prisma's own client, which sees all rows. */
export type TestClient = PrismaClient;

/** How long a statement of a test may take: a busy machine is slow. */
export const PATIENCE_MS = 60_000;

/** The caller ends it with `$disconnect()`. */
export function openTestClient(url: string): TestClient {
  return openClient(url, { statementTimeoutMs: PATIENCE_MS }).client;
}
