import { type Author, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { addUser, clientSecretHash, PLATFORM_SCOPE } from '../use-cases/index.ts';

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
  /** What its administrators may give. */
  assignableRoles?: readonly string[];
  assignableClaims?: readonly string[];
}

/** A service account that administers the platform. Its secret is in the documentation. */
interface DemoOperator {
  tenantId: number;
  clientId: string;
  clientSecret: string;
  name: string;
  role: string;
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
    assignableRoles: ['user', 'manager', 'tenant_admin'],
    assignableClaims: ['x-hasura-department'],
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
  { id: 3, name: 'operations', users: [] },
];

/** In a tenant of its own, so that it works on when a customer's tenant is disabled. */
export const DEMO_OPERATOR: DemoOperator = {
  tenantId: 3,
  clientId: '7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e',
  clientSecret: 'operator-demo-secret',
  name: 'platform operator',
  role: 'platform_operator',
};

/**
 * Adds the demo tenants and users that are not there yet. What is there stays as it is, changed passwords included.
 *
 * @returns how many users it added.
 */
export async function seedDemo(database: Database, passwords: Passwords, author: Author): Promise<number> {
  let added = 0;
  for (const { id: tenantId, name, users, assignableRoles = [], assignableClaims = [] } of DEMO_TENANTS) {
    await database.inTenant(tenantId, async (transaction) => {
      const { count } = await transaction.tenant.createMany({ data: [{ id: tenantId, name }], skipDuplicates: true });
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      const what = { event: 'tenant.add', outcome: 'success', tenantId, subject, details: { name } } as const;
      if (count > 0) await recordAudit(transaction, { ...author, ...what, at: new Date() });
      // A database of an earlier version has the tenants, and nothing that their administrators may give.
      await transaction.tenant.updateMany({
        where: { id: tenantId, assignableRoles: { isEmpty: true } },
        data: { assignableRoles: [...assignableRoles], assignableClaims: [...assignableClaims] },
      });
    });
    for (const user of users) if (await addDemoUser(database, passwords, { tenantId, user, author })) added += 1;
  }
  await addDemoOperator(database, author);
  return added;
}

async function addDemoOperator(database: Database, author: Author): Promise<void> {
  const { tenantId, clientId, clientSecret, name, role } = DEMO_OPERATOR;
  const scopes = [PLATFORM_SCOPE];
  const roles = { allowedRoles: [role], defaultRole: role };
  await database.inTenant(tenantId, async (transaction) => {
    const secretHash = clientSecretHash(clientSecret);
    const { count } = await transaction.oAuthClient.createMany({
      data: [{ tenantId, id: clientId, name, secretHash, scopes, createdAt: new Date(), ...roles }],
      skipDuplicates: true,
    });
    const subject = { kind: 'client', id: clientId } as const;
    const details = { name, roles: roles.allowedRoles, default_role: role, scopes };
    const what = { event: 'client.add', outcome: 'success', tenantId, subject, details } as const;
    if (count > 0) await recordAudit(transaction, { ...author, ...what, at: new Date() });
  });
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
