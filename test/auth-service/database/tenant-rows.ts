import { createHash, randomUUID } from 'node:crypto';
import type { TestClient } from '../../database/index.ts';

/** A row of `tenantId` in every table that there is for tenants. */
export async function addRowsOf(client: TestClient, tenantId: number): Promise<void> {
  const at = new Date();
  const later = new Date(at.getTime() + 3_600_000);
  const [userId, sessionId] = [randomUUID(), randomUUID()];
  const hash = new Uint8Array(createHash('sha256').update(`token of ${tenantId}`).digest());
  const roles = { allowedRoles: ['user'], defaultRole: 'user' };
  await client.tenant.create({ data: { id: tenantId, name: `tenant ${tenantId}` } });
  await client.roleClaims.create({ data: { tenantId, role: 'user', claims: {} } });
  await client.user.create({ data: { tenantId, id: userId, username: 'alice', passwordHash: 'none', ...roles } });
  await client.session.create({
    data: { tenantId, id: sessionId, userId, createdAt: at, lastUsedAt: at, expiresAt: later },
  });
  await client.refreshToken.create({ data: { tenantId, hash, sessionId, createdAt: at, expiresAt: later } });
  await client.revocation.create({ data: { tenantId, sessionId, until: later } });
  await client.oAuthClient.create({
    data: { tenantId, id: randomUUID(), name: 'reports', secretHash: hash, ...roles, scopes: [], createdAt: at },
  });
  await client.auditEntry.create({
    data: { tenantId, id: randomUUID(), at, event: 'login', outcome: 'success', actorKind: 'user' },
  });
}

/** Every table with rows of tenants, by what the database says, each with its partitions, and the column that tells whose they are. */
export async function tenantTables(client: TestClient): Promise<{ table: string; column: string }[]> {
  const rows = await client.$queryRaw<{ table: string }[]>`
    SELECT table_name AS "table" FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND column_name = 'tenant_id' AND table_type = 'BASE TABLE'
      AND NOT (SELECT relispartition FROM pg_class WHERE oid = table_name::regclass)
    ORDER BY 1`;
  return [{ table: 'tenants', column: 'id' }, ...rows.map(({ table }) => ({ table, column: 'tenant_id' }))];
}
