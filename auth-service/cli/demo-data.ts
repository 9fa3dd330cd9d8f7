import { type Author, recordAudit } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { addUser, clientSecretHash, PLATFORM_SCOPE } from '../use-cases/index.ts';
import { DEMO_OPERATOR } from './demo-operator.ts';

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
  /** The roles that the tenant's administrators may assign. */
  assignableRoles?: readonly string[];
  assignableClaims?: readonly string[];
}

/** The default role of all demo users. */
const DEMO_ROLE = 'user';

/**
 * Two tenants that share a username, and a user who may not log in. They are for demos, never for production. The documentation
 * lists their passwords, so the password policy is not applied. After a change of the demo data, increase `DEMO_DATA_VERSION`
 * in `start/demo-accounts.ts`.
 */
const DEMO_TENANTS: readonly DemoTenant[] = [
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

/** The operator has its own tenant, so that it still works if a customer's tenant is disabled. Never added in production. */
const OPERATOR_ACCOUNT = {
  ...DEMO_OPERATOR,
  tenantId: 3,
  name: 'platform operator',
  role: 'platform_operator',
} as const;

export interface SeedOptions {
  /** Adds the operator, whose secret is public. Never in production. */
  readonly withOperator?: boolean;
  /**
   * Whether the database has demo data of an earlier version, whose tenants have no roles and claims that their administrators
   * may assign. If so, tenants that still have none get them. Otherwise only added tenants get them, so that "none" can be
   * chosen.
   */
  readonly fromEarlierVersion?: boolean;
}

export interface SeededData {
  /** The number of added users. */
  readonly usersAdded: number;
  /** The names of the existing demo tenants. */
  readonly tenants: readonly string[];
  /** What was not added and why, one sentence each. */
  readonly skipped: readonly string[];
}

/**
 * Adds missing demo tenants and users. Existing ones stay unchanged, including changed passwords. A tenant with a demo tenant's
 * id and another name is not a demo tenant and stays unchanged.
 */
export async function seedDemo(
  database: Database,
  passwords: Passwords,
  author: Author,
  { withOperator = false, fromEarlierVersion = false }: SeedOptions = {},
): Promise<SeededData> {
  let usersAdded = 0;
  const tenants: string[] = [];
  const skipped: string[] = [];
  for (const tenant of DEMO_TENANTS) {
    const { id: tenantId, name, users } = tenant;
    const isOfOperator = tenantId === OPERATOR_ACCOUNT.tenantId;
    if (isOfOperator && !withOperator) {
      skipped.push('no platform operator is added in production: its secret is public');
      continue;
    }
    if (!(await addDemoTenant(database, tenant, fromEarlierVersion, author))) {
      const without = isOfOperator ? 'the platform operator is' : 'its users are';
      skipped.push(`tenant ${tenantId} is not "${name}", or another tenant has that name: ${without} not added`);
      continue;
    }
    tenants.push(name);
    for (const user of users) if (await addDemoUser(database, passwords, { tenantId, user, author })) usersAdded += 1;
    if (isOfOperator) await addDemoOperator(database, author);
  }
  return { usersAdded, tenants, skipped };
}

/** Returns whether the database has tenants other than the demo's. Such a database is in real use. */
export async function hasOtherTenants(database: Database): Promise<boolean> {
  const NOT = DEMO_TENANTS.map(({ id, name }) => ({ id, name }));
  const other = await database.acrossTenants('operators-look', (transaction) =>
    transaction.tenant.findFirst({ where: { NOT }, select: { id: true } }),
  );
  return other !== null;
}

/** @returns whether the tenant exists with its id and name. */
function addDemoTenant(
  database: Database,
  { id: tenantId, name, users, assignableRoles = [], assignableClaims = [] }: DemoTenant,
  fromEarlierVersion: boolean,
  author: Author,
): Promise<boolean> {
  const assignable = { assignableRoles: [...assignableRoles], assignableClaims: [...assignableClaims] };
  return database.inTenant(tenantId, async (transaction) => {
    const data = [{ id: tenantId, name, ...assignable }];
    const { count } = await transaction.tenant.createMany({ data, skipDuplicates: true });
    if (count > 0) {
      const subject = { kind: 'tenant', id: String(tenantId) } as const;
      const what = { event: 'tenant.add', outcome: 'success', tenantId, subject, details: { name } } as const;
      await recordAudit(transaction, { ...author, ...what, at: new Date() });
      return true;
    }
    const existing = await transaction.tenant.findUnique({ where: { id: tenantId } });
    if (existing?.name !== name) return false;
    if (fromEarlierVersion) {
      const username = { in: users.map((user) => user.username) };
      const none = { isEmpty: true };
      await transaction.tenant.updateMany({
        where: {
          id: tenantId,
          assignableRoles: none,
          assignableClaims: none,
          assignableScopes: none,
          users: { some: { username } },
        },
        data: assignable,
      });
    }
    return true;
  });
}

async function addDemoOperator(database: Database, author: Author): Promise<void> {
  const { tenantId, clientId, clientSecret, name, role } = OPERATOR_ACCOUNT;
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

/** @returns whether the user was added. */
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
