import { randomUUID } from 'node:crypto';
import type { Database } from '../database/index.ts';
import type { Passwords } from '../passwords/index.ts';

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

/** Everybody's default role. */
const DEFAULT_ROLE = 'user';

/** Two tenants that share a username, and a user who may not log in. For trying Portico out, never for production. */
export const DEMO_TENANTS: readonly DemoTenant[] = [
  {
    id: 1,
    name: 'acme',
    users: [
      { username: 'alice', password: 'alice-acme-demo-pass', allowedRoles: ['user', 'manager'] },
      { username: 'bob', password: 'bob-acme-demo-pass', allowedRoles: ['user'] },
      { username: 'carol', password: 'carol-acme-demo-pass', allowedRoles: ['user'], disabled: true },
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
export async function seedDemo(database: Database, passwords: Passwords): Promise<number> {
  let added = 0;
  for (const { id: tenantId, name, users } of DEMO_TENANTS) {
    await database.tenant.createMany({ data: [{ id: tenantId, name }], skipDuplicates: true });
    for (const user of users) added += await addUser(database, passwords, tenantId, user);
  }
  return added;
}

async function addUser(database: Database, passwords: Passwords, tenantId: number, user: DemoUser): Promise<number> {
  const { username } = user;
  const existing = await database.user.findUnique({ where: { tenantId_username: { tenantId, username } } });
  if (existing) return 0;
  const { count } = await database.user.createMany({
    data: [
      {
        tenantId,
        id: randomUUID(),
        username,
        passwordHash: await passwords.hash(user.password),
        allowedRoles: [...user.allowedRoles],
        defaultRole: DEFAULT_ROLE,
        disabledAt: user.disabled ? new Date() : null,
      },
    ],
    skipDuplicates: true,
  });
  return count;
}
