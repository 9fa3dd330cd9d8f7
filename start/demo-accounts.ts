/** The version of the demo data: a data directory with that of another version gets it added again. */
export const DEMO_DATA_VERSION = 2;

/** The demo accounts that can log in, as `auth-service/cli/demo-data.ts` makes them. */
export const DEMO_ACCOUNTS = [
  { tenant_id: 1, tenant: 'acme', username: 'alice', password: 'alice-acme-demo-pass', roles: ['user', 'manager'] },
  { tenant_id: 1, tenant: 'acme', username: 'bob', password: 'bob-acme-demo-pass', roles: ['user'] },
  { tenant_id: 1, tenant: 'acme', username: 'dora', password: 'dora-acme-demo-pass', roles: ['user', 'tenant_admin'] },
  { tenant_id: 2, tenant: 'globex', username: 'alice', password: 'alice-globex-demo-pass', roles: ['user', 'manager'] },
] as const;

/** All roles of the demo accounts, which may ask how their operations are run. */
export const DEMO_ROLES = [...new Set(DEMO_ACCOUNTS.flatMap(({ roles }) => roles))];
