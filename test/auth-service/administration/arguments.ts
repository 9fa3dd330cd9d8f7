import { randomUUID } from 'node:crypto';
import { type GraphQLField, getNamedType, isInputObjectType } from 'graphql';
import type { Administered } from './administered.ts';

/** The ids of things in a tenant, or ids that nothing has. */
export interface Ids {
  tenant_id: number | null;
  user_id: string;
  username: string;
  session_id: string;
  client_id: string;
}

/** What only platform operators may. A field that is new is for tenant administrators, until it is added here. */
export const OPERATORS_ONLY = new Set<string>([
  'auth_admin_tenant_create',
  'auth_admin_tenant_disable',
  'auth_admin_tenant_enable',
  'auth_admin_tenant_set_assignable',
  'auth_admin_tenant_set_claims',
  'auth_admin_role_set_claims',
  'auth_admin_key_list',
  'auth_admin_key_rotate',
  'auth_admin_key_retire',
]);

/** The names of arguments that hold ids of what belongs to a tenant. */
export const ID_ARGUMENTS = ['user_id', 'session_id', 'client_id'] as const;

/** Arguments that would do in the tenant of the ids. A new argument has to be added here, so that it is attacked too. */
const VALUES: Readonly<Record<string, (ids: Ids) => unknown>> = {
  tenant_id: (ids) => ids.tenant_id,
  user_id: (ids) => ids.user_id,
  username: (ids) => ids.username,
  session_id: (ids) => ids.session_id,
  client_id: (ids) => ids.client_id,
  kid: () => 'no key',
  roles: () => ['user'],
  default_role: () => 'user',
  role: () => 'user',
  claims: () => [],
  scopes: () => [],
  password: () => 'a password that would do well',
  name: () => 'a name',
  search: () => null,
  disabled: () => false,
  first: () => 10,
  after: () => null,
  filter: () => ({}),
};

/** The arguments of a field: those of a mutation are in its `data`. @throws Error for one that is not known here. */
export function argumentsOf(field: GraphQLField<unknown, unknown>): readonly string[] {
  const [data] = field.args;
  const type = data && getNamedType(data.type);
  const names =
    data?.name === 'data' && isInputObjectType(type)
      ? Object.keys(type.getFields())
      : field.args.map(({ name }) => name);
  for (const name of names)
    if (!(name in VALUES)) throw new Error(`${field.name}: the argument ${name} is not attacked, see arguments.ts`);
  return names;
}

/** Values of all arguments of a field. */
export function valuesFor(field: GraphQLField<unknown, unknown>, ids: Ids): Record<string, unknown> {
  // A list of names of claims, where it is no list of claims with values.
  const ofNames = field.name === 'auth_admin_tenant_set_assignable' ? { claims: [] } : {};
  const values = Object.fromEntries(argumentsOf(field).map((name) => [name, VALUES[name]?.(ids)]));
  return { ...values, ...('claims' in values && ofNames) };
}

/** The ids of what there is in tenant 2. */
export async function idsOfTwo({ world, ids, client }: Administered): Promise<Ids> {
  await client.login('olga', 'a password of somebody, long', 2);
  const where = { tenantId: 2, userId: ids.olga ?? '' };
  const session = await world.database.session.findFirstOrThrow({ where });
  const account = await world.database.oAuthClient.findFirstOrThrow({ where: { tenantId: 2 } });
  return {
    tenant_id: 2,
    user_id: ids.olga ?? '',
    username: 'olga',
    session_id: session.id,
    client_id: account.id,
  };
}

export function idsOfNothing(): Ids {
  return {
    tenant_id: 999_999,
    user_id: randomUUID(),
    username: 'olga',
    session_id: randomUUID(),
    client_id: randomUUID(),
  };
}
