import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availableEngines } from '../database/index.ts';
import { createWorld, type World } from './world.ts';

const ME = '{ auth_user_me { user_id username tenant_id tenant_name default_role allowed_roles } }';

describe.each(await availableEngines())('asking who I am, on %s', (engine) => {
  let world: World;
  let aliceId: string;
  let carolId: string;
  let daveId: string;

  beforeAll(async () => {
    world = await createWorld(engine);
    await world.addTenant(1, 'acme');
    await world.addTenant(2, 'globex');
    await world.addTenant(3, 'closed', { disabled: true });
    aliceId = await world.addUser(1, 'alice', 'password', { allowedRoles: ['user', 'manager'] });
    carolId = await world.addUser(1, 'carol', 'password', { disabled: true });
    daveId = await world.addUser(3, 'dave', 'password');
  });
  afterAll(() => world.close());

  test('the account of the caller whom the gateway names', async () => {
    const { body } = await world.service.graphql(ME, undefined, {
      'x-hasura-user-id': aliceId,
      'x-hasura-tenant-id': '1',
    });

    expect(body).toEqual({
      data: {
        auth_user_me: {
          user_id: aliceId,
          username: 'alice',
          tenant_id: 1,
          tenant_name: 'acme',
          default_role: 'user',
          allowed_roles: ['user', 'manager'],
        },
      },
    });
  });

  test.each([
    ['nobody', () => ({})],
    ['a user without a tenant', () => ({ 'x-hasura-user-id': aliceId })],
    ['a tenant without a user', () => ({ 'x-hasura-tenant-id': '1' })],
    ['my id in another tenant', () => ({ 'x-hasura-user-id': aliceId, 'x-hasura-tenant-id': '2' })],
    ['an id that nobody has', () => ({ 'x-hasura-user-id': randomUUID(), 'x-hasura-tenant-id': '1' })],
    ['an id that is no UUID', () => ({ 'x-hasura-user-id': "x' OR 1=1", 'x-hasura-tenant-id': '1' })],
    ['two ids', () => ({ 'x-hasura-user-id': `${aliceId}, ${aliceId}`, 'x-hasura-tenant-id': '1' })],
    ['a tenant over 32 bits', () => ({ 'x-hasura-user-id': aliceId, 'x-hasura-tenant-id': '4294967297' })],
    ['a disabled user', () => ({ 'x-hasura-user-id': carolId, 'x-hasura-tenant-id': '1' })],
    ['a user of a disabled tenant', () => ({ 'x-hasura-user-id': daveId, 'x-hasura-tenant-id': '3' })],
  ])('%s is denied', async (_what, headers) => {
    const { status, body } = await world.service.graphql(ME, undefined, headers());

    expect(status).toBe(200);
    expect(body.data).toEqual({ auth_user_me: null });
    expect(body.errors).toMatchObject([
      { message: 'this field is for logged-in callers', path: ['auth_user_me'], extensions: { code: 'access-denied' } },
    ]);
  });
});
