import { addClient, PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import type { Engine } from '../../database/index.ts';
import { OPERATOR } from '../operator.ts';
import { type SessionClient, sessionClient } from '../session-client.ts';
import { createWorld, type World } from '../world.ts';

export const PASSWORD = 'a password of somebody, long';

/** A mutation's result. */
export interface Result<Data = Record<string, unknown>> {
  success: boolean;
  error_code: string | null;
  error_message: string | null;
  data: Data | null;
}

export interface Answer {
  /** Of the one field. */
  result: unknown;
  /** That an HTTP endpoint would have; undefined: 200. */
  status: number | undefined;
  code: string | undefined;
  text: string;
}

/** Two tenants with administrators, and an operator. */
export interface Administered {
  readonly world: World;
  readonly client: SessionClient;
  /** Users by their names. */
  readonly ids: Readonly<Record<string, string>>;
  /** Access tokens: `anna` and `adam` administer tenant 1, `otto` tenant 2, `bob` nothing; `operator` the platform. */
  readonly tokens: Readonly<Record<'anna' | 'adam' | 'bob' | 'otto' | 'operator' | 'robot', string>>;
  /** Asks one field, with all scalars of what it gives. */
  ask(token: string | undefined, field: string, args?: Record<string, unknown>): Promise<Answer>;
  /** A mutation with its `data`. */
  change<Data = Record<string, unknown>>(
    token: string | undefined,
    field: string,
    data: Record<string, unknown>,
  ): Promise<Answer & { result: Result<Data> }>;
  close(): Promise<void>;
}

const USER =
  'tenant_id user_id username allowed_roles default_role claims { name value } created_at disabled_at manageable';
const TENANT =
  'tenant_id name created_at disabled_at claims { name value } assignable_roles assignable_claims assignable_scopes';
const CHANGED_USER = `user { ${USER} } revoked_sessions`;

/** What is asked of each field, with the types of its arguments. */
export const FIELDS: Readonly<Record<string, { args: Readonly<Record<string, string>>; selection: string }>> = {
  auth_admin_me: { args: {}, selection: `acting_as tenant { ${TENANT} }` },
  auth_admin_user_list: {
    args: { tenant_id: 'Int', search: 'String', first: 'Int', after: 'ID' },
    selection: `entries { ${USER} } next`,
  },
  auth_admin_user_get: { args: { tenant_id: 'Int', user_id: 'ID' }, selection: USER },
  auth_admin_tenant_list: {
    args: { search: 'String', first: 'Int', after: 'ID' },
    selection: `entries { ${TENANT} } next`,
  },
  auth_admin_tenant_get: { args: { tenant_id: 'Int' }, selection: TENANT },
};

const DATA: Readonly<Record<string, { input: string; selection: string }>> = {
  auth_admin_user_create: { input: 'AuthAdminUserCreateInput', selection: `user { ${USER} } password` },
  auth_admin_user_disable: { input: 'AuthAdminUserInput', selection: CHANGED_USER },
  auth_admin_user_enable: { input: 'AuthAdminUserInput', selection: CHANGED_USER },
  auth_admin_user_set_roles: { input: 'AuthAdminUserSetRolesInput', selection: CHANGED_USER },
  auth_admin_user_set_claims: { input: 'AuthAdminUserSetClaimsInput', selection: CHANGED_USER },
};

export async function openAdministered(engine: Engine, changes: Record<string, string> = {}): Promise<Administered> {
  const world = await createWorld(engine, changes);
  await world.addTenant(1, 'acme');
  await world.addTenant(2, 'globex');
  const assignable = {
    assignableRoles: ['user', 'manager', 'tenant_admin'],
    assignableClaims: ['x-hasura-department'],
    assignableScopes: ['orders:read'],
  };
  await world.database.tenant.updateMany({ data: assignable });
  const administrator = { allowedRoles: ['user', 'tenant_admin'] };
  const ids = {
    anna: await world.addUser(1, 'anna', PASSWORD, administrator),
    adam: await world.addUser(1, 'adam', PASSWORD, administrator),
    bob: await world.addUser(1, 'bob', PASSWORD),
    zoe: await world.addUser(1, 'zoe', PASSWORD, { allowedRoles: ['user', 'auditor'] }),
    otto: await world.addUser(2, 'otto', PASSWORD, administrator),
    olga: await world.addUser(2, 'olga', PASSWORD),
  };
  const client = sessionClient(world.service.url);
  const login = async (name: string, tenantId = 1) => (await client.login(name, PASSWORD, tenantId)).access_token;
  const tokens = {
    anna: await login('anna'),
    adam: await login('adam'),
    bob: await login('bob'),
    otto: await login('otto', 2),
    operator: await tokenOfClient(world, { scopes: [PLATFORM_SCOPE, 'orders:read'] }),
    robot: await tokenOfClient(world, { scopes: ['orders:read'] }),
  };

  async function ask(token: string | undefined, field: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const { args: types, selection } = FIELDS[field] ?? { args: {}, selection: '' };
    const names = Object.keys(types);
    const declared = names.map((name) => `$${name}: ${types[name]}`).join(', ');
    const given = names.map((name) => `${name}: $${name}`).join(', ');
    const inParentheses = (text: string) => (text === '' ? '' : `(${text})`);
    const query = `query ${inParentheses(declared)} { ${field}${inParentheses(given)} { ${selection} } }`;
    return client.ask(query, args, token === undefined ? {} : { authorization: `Bearer ${token}` });
  }

  return {
    world,
    client,
    ids,
    tokens,
    ask,
    async change<Data>(token: string | undefined, field: string, data: Record<string, unknown>) {
      const { input, selection } = DATA[field] ?? { input: '', selection: '' };
      const query = `mutation ($data: ${input}!) {
        ${field}(data: $data) { success error_code error_message data { ${selection} } }
      }`;
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return client.ask<Result<Data>>(query, { data }, headers);
    },
    close: () => world.close(),
  };
}

/** The access token of a new service account. */
export async function tokenOfClient(
  world: World,
  { tenantId = 2, scopes, scope }: { tenantId?: number; scopes: readonly string[]; scope?: string },
): Promise<string> {
  const account = { tenantId, name: 'a service account', scopes, allowedRoles: ['platform'], defaultRole: 'platform' };
  const { clientId, clientSecret } = await addClient(world.doors, account, new Date(), OPERATOR);
  const response = await fetch(`${world.service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
