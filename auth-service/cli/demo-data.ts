import { type Author, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { addUser } from '../use-cases/index.ts';

interface DemoUser {
  username: string;
  password: string;
  allowedRoles: readonly string[];
  disabled?: boolean;
}

interface DemoTenant {
  id: number;
  name: string;
  users: readonly DemoUser[];
}

/** The default role of all demo users. */
const DEMO_ROLE = 'user';

/**
 * Two tenants that share a username, and a user who may not log in. For trying Portico out, never for production. Their
 * passwords are in its documentation, so the policy for new passwords is not asked.
 */
export const DEMO_TENANTS: readonly DemoTenant[] = [
  {
    id: 1,
    name: 'acme',
    users: [
      { username: 'alice', password: 'alice-acme-demo-pass', allowedRoles: ['user', 'manager'] },
      { username: 'bob', password: 'bob-acme-demo-pass', allowedRoles: ['user'] },
      { username: 'carol', password: 'carol-acme-demo-pass', allowedRoles: ['user'], disabled: true },
      { username: 'dora', password: 'dora-acme-demo-pass', allowedRoles: ['user', 'tenant_admin'] },
    ],
  },
  {
    id: 2,
    name: 'globex',
    users: [{ username: 'alice', password: 'alice-globex-demo-pass', allowedRoles: ['user', 'manager'] }],
  },
];

/**
 * Adds the demo tenants and users that are not there yet. What is there stays as it is, changed passwords included.
 *
 * @returns how many users it added.
 */
export async function seedDemo(database: Database, passwords: Passwords, author: Author): Promise<number> {
  let added = 0;
  for (const { id: tenantId, name, users } of DEMO_TENANTS) {
    await database.inTenant(tenantId, async (transaction) => {
      const { count } = await transaction.tenant.createMany({ data: [{ id: tenantId, name }], skipDuplicates: true });
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      const what = { event: 'tenant.add', outcome: 'success', tenantId, subject, details: { name } } as const;
      if (count > 0) await recordAudit(transaction, { ...author, ...what, at: new Date() });
    });
    for (const user of users) if (await addDemoUser(database, passwords, { tenantId, user, author })) added += 1;
  }
  return added;
}

/** @returns whether the user was not there yet. */
async function addDemoUser(
  database: Database,
  passwords: Passwords,
  { tenantId, user, author }: { tenantId: number; user: DemoUser; author: Author },
): Promise<boolean> {
  const { username, password, allowedRoles, disabled = false } = user;
  const existing = await database.inTenant(tenantId, (transaction) =>
    transaction.user.findUnique({ where: { tenantId_username: { tenantId, username } } }),
  );
  if (existing) return false;
  const passwordHash = await passwords.hash(password);
  const row = { tenantId, username, passwordHash, allowedRoles, defaultRole: DEMO_ROLE, disabled };
  const id = await database.inTenant(tenantId, (transaction) => addUser(transaction, row, new Date(), author));
  return id !== undefined;
}
