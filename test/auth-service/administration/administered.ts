import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
} from 'graphql';

import { AUTH_TYPE_DEFINITIONS } from '../../../auth-service/graph/index.ts';
import { PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import type { Engine } from '../../database/index.ts';
import { addClientTo } from '../operator.ts';
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
    data?: Record<string, unknown>,
  ): Promise<Answer & { result: Result<Data> }>;
  close(): Promise<void>;
}

const schema = buildSchema(AUTH_TYPE_DEFINITIONS);

/** Every field of administrators. */
export const FIELDS = {
  query: administratorsFields(schema.getQueryType()),
  mutation: administratorsFields(schema.getMutationType()),
};

function administratorsFields(type: GraphQLObjectType | null | undefined): readonly GraphQLField<unknown, unknown>[] {
  return Object.values(type?.getFields() ?? {}).filter(({ name }) => name.startsWith('auth_admin_'));
}

/** An operation of one field, with all of its arguments as variables, and everything that it gives. */
export function operationOf(kind: 'query' | 'mutation', name: string): string {
  const field = FIELDS[kind].find((candidate) => candidate.name === name);
  if (!field) throw new Error(`there is no field ${name}`);
  const inParentheses = (texts: readonly string[]) => (texts.length === 0 ? '' : `(${texts.join(', ')})`);
  const declared = inParentheses(field.args.map((arg) => `$${arg.name}: ${arg.type}`));
  const given = inParentheses(field.args.map((arg) => `${arg.name}: $${arg.name}`));
  return `${kind} ${declared} { ${name}${given} ${selectionOf(field.type)} }`;
}

function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).map((field) => `${field.name} ${selectionOf(field.type)}`);
  return `{ ${fields.join(' ')} }`;
}

export async function openAdministered(engine: Engine, changes: Record<string, string> = {}): Promise<Administered> {
  return administer(await createWorld(engine, changes));
}

/** Replaces the tenants of a world, with all that belongs to them, which takes a third of the time of a new world. */
export async function administer(world: World): Promise<Administered> {
  await world.database.tenant.deleteMany();
  await world.database.revocation.deleteMany();
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

  const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
  return {
    world,
    client,
    ids,
    tokens,
    ask: (token, field, args = {}) => client.ask(operationOf('query', field), args, bearer(token)),
    change: <Data>(token: string | undefined, field: string, data: Record<string, unknown> = {}) =>
      client.ask<Result<Data>>(operationOf('mutation', field), { data }, bearer(token)),
    close: () => world.close(),
  };
}

/** The access token of a new service account. */
export async function tokenOfClient(
  world: World,
  { tenantId = 2, scopes, scope }: { tenantId?: number; scopes: readonly string[]; scope?: string },
): Promise<string> {
  const account = { tenantId, name: 'a service account', scopes, allowedRoles: ['platform'], defaultRole: 'platform' };
  const { clientId, clientSecret } = await addClientTo(world.doors, account);
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
