import { type Database, openDatabase } from '../../../auth-service/database/index.ts';
import { createTestDatabase, type Engine, openTestClient, type TestClient } from '../../database/index.ts';

/** When the clocks of these suites begin. */
export const START = Date.parse('2026-01-02T03:04:05Z');
/** In seconds. */
export const DAY = 86_400;
export const KEY_POLICY = { algorithm: 'ES256', rotationDays: 90, tokenSeconds: 900, reloadSeconds: 15 } as const;

/** A database for suites about keys. */
export interface KeysDatabase {
  readonly url: string;
  /** As the service opens it. */
  readonly database: Database;
  readonly client: TestClient;
  /** Deletes all keys, and the sessions that keep old ones. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openKeysDatabase(engine: Engine): Promise<KeysDatabase> {
  const { url, drop } = await createTestDatabase({ engine });
  const database = openDatabase(url);
  const client = openTestClient(url);
  return {
    url,
    database,
    client,
    async clear() {
      await client.$executeRaw`TRUNCATE signing_keys, refresh_token_keys RESTART IDENTITY`;
      await client.session.deleteMany();
    },
    async close() {
      await database.close();
      await client.$disconnect();
      await drop();
    },
  };
}
