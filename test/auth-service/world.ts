import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '../../auth-service/database/index.ts';
import { loadBcrypt } from '../../auth-service/passwords/bcrypt-library.ts';
import { createPasswords, type Passwords } from '../../auth-service/passwords/index.ts';
import type { AuthServiceDependencies } from '../../auth-service/process/service.ts';
import { createTestDatabase, type Engine, openTestClient, PATIENCE_MS, type TestClient } from '../database/index.ts';
import { configFor, startTestService, type TestService } from './service.ts';

export interface UserOptions {
  disabled?: boolean;
  allowedRoles?: string[];
}

/** A database with people in it, and the service in front of it. */
export interface World {
  readonly databaseUrl: string;
  /** Sees everything. */
  readonly database: TestClient;
  /** The database as the service has it. */
  readonly doors: Database;
  readonly service: TestService;
  addTenant(id: number, name: string, options?: { disabled?: boolean }): Promise<void>;
  /** @returns the user's id. */
  addUser(tenantId: number, username: string, password: string, options?: UserOptions): Promise<string>;
  close(): Promise<void>;
}

export async function createWorld(
  engine: Engine,
  changes: Record<string, string> = {},
  surroundings: AuthServiceDependencies = {},
): Promise<World> {
  const testDatabase = await createTestDatabase({ engine });
  const service = await startTestService(testDatabase.url, changes, surroundings);
  const database = openTestClient(testDatabase.url);
  const doors = openDatabase(testDatabase.url, { poolSize: 2, statementTimeoutMs: PATIENCE_MS });
  const passwords = testPasswords(testDatabase.url, changes);

  return {
    databaseUrl: testDatabase.url,
    database,
    doors,
    service,
    async addTenant(id, name, { disabled = false } = {}) {
      await database.tenant.create({ data: { id, name, disabledAt: disabled ? new Date() : null } });
    },
    async addUser(tenantId, username, password, { disabled = false, allowedRoles = ['user'] } = {}) {
      const id = randomUUID();
      await database.user.create({
        data: {
          tenantId,
          id,
          username,
          passwordHash: await passwords.hash(password),
          allowedRoles,
          defaultRole: 'user',
          disabledAt: disabled ? new Date() : null,
        },
      });
      return id;
    },
    async close() {
      await database.$disconnect();
      await doors.close();
      await service.stop();
      await testDatabase.drop();
    },
  };
}

/** Hashes passwords as a test's service does, in this thread. */
export function testPasswords(databaseUrl: string, changes: Record<string, string> = {}): Passwords {
  const { hash, compare } = loadBcrypt();
  return createPasswords({
    ...configFor(databaseUrl, changes).passwords,
    bcrypt: {
      hash: async (text, cost) => hash(text, cost),
      compare: async (text, hashed) => compare(text, hashed),
    },
  });
}
