import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDisableTenant, createEnableTenant } from '../../auth-service/use-cases/index.ts';
import { availableEngines } from '../database/index.ts';
import { addClientTo, administrationOf, OPERATING, OPERATOR } from './operator.ts';
import { REVOCATION_SECRET, startTestService, type TestService } from './service.ts';
import { claimsOf, sessionClient, type Tokens } from './session-client.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of somebody, long';
/** By how much the clocks of services may differ, in milliseconds. */
const SKEW_MS = 900;

interface Revocation {
  sid?: string;
  user_id?: string;
  tenant_id: number;
  before?: number;
}

describe.each(await availableEngines())('tokens whose rights were taken away, on %s', (engine) => {
  let world: World;
  /** On the same database, with a clock that is ahead. */
  let ahead: TestService;
  let people = 0;
  let tenants = 1;

  beforeAll(async () => {
    world = await createWorld(engine);
    ahead = await startTestService(world.databaseUrl, {}, { now: () => new Date(Date.now() + SKEW_MS) });
    await world.addTenant(1, 'acme');
  });
  afterAll(async () => {
    await ahead.stop();
    await world.close();
  });

  async function newUser(tenantId = 1) {
    people += 1;
    const username = `somebody ${people}`;
    const userId = await world.addUser(tenantId, username, PASSWORD, { allowedRoles: ['user', 'manager'] });
    const login = (service: TestService = world.service) =>
      sessionClient(service.url).login(username, PASSWORD, tenantId);
    const setRoles = (...roles: string[]) =>
      administrationOf(world.doors).setRoles(OPERATING, { tenant_id: tenantId, user_id: userId, roles });
    return { userId, login, setRoles };
  }

  async function newTenant() {
    tenants += 1;
    const id = tenants;
    await world.addTenant(id, `tenant ${id}`);
    const now = () => new Date();
    return {
      id,
      disable: () => createDisableTenant(world.doors, now, OPERATOR)(id),
      enable: () => createEnableTenant(world.doors, now, OPERATOR)(id),
    };
  }

  async function newClient(tenantId: number) {
    const added = await addClientTo(world.doors, {
      tenantId,
      name: 'reports',
      allowedRoles: ['service'],
      defaultRole: 'service',
      scopes: [],
    });
    const post = async (path: string, form: Record<string, string>, service: TestService) => {
      const authorization = `Basic ${Buffer.from(`${added.clientId}:${added.clientSecret}`).toString('base64')}`;
      const body = new URLSearchParams(form);
      return (await fetch(service.url + path, { method: 'POST', headers: { authorization }, body })).json();
    };
    return {
      clientId: added.clientId,
      token: async (service: TestService = world.service) => {
        const { access_token } = (await post('/oauth/token', { grant_type: 'client_credentials' }, service)) as Tokens;
        return access_token;
      },
      isActive: async (token: string) => {
        const { active } = (await post('/oauth/introspect', { token }, world.service)) as { active: boolean };
        return active;
      },
    };
  }

  const refresh = async ({ refresh_token }: Tokens) => {
    const { result } = await sessionClient(world.service.url).refresh(refresh_token);
    return result.data?.access_token ?? '';
  };

  /** As a verifier decides by the list of revocations. */
  async function isRevoked(token: string): Promise<boolean> {
    const response = await fetch(`${world.service.url}/revocations`, {
      headers: { authorization: `Bearer ${REVOCATION_SECRET}` },
    });
    const { revocations } = (await response.json()) as { revocations: Revocation[] };
    const { sid, sub, tenant_id, iat } = claimsOf(token);
    return revocations.some((revocation) => {
      if (revocation.sid !== undefined) return revocation.sid === sid;
      const isAbout = revocation.user_id === undefined || revocation.user_id === sub;
      return revocation.tenant_id === tenant_id && isAbout && iat < (revocation.before ?? 0);
    });
  }

  const hasuraClaims = (token: string) => {
    const claims: Record<string, unknown> = { ...claimsOf(token) };
    return claims['https://hasura.io/jwt/claims'] as Record<string, unknown>;
  };
  const rolesIn = (token: string) => hasuraClaims(token)['x-hasura-allowed-roles'];

  test('a login that has begun before a role was taken away gives a token without it', async () => {
    const { login, setRoles } = await newUser();
    world.service.duringNextHash(async () => {
      await setRoles('user');
    });
    expect(rolesIn((await login()).access_token)).toEqual(['user']);
  });

  test('a refresh right after a role was taken away gives a token that counts, and the earlier one does not', async () => {
    const { login, setRoles } = await newUser();
    const first = await login();
    await setRoles('user');
    const second = await refresh(first);

    expect(await isRevoked(first.access_token)).toBe(true);
    expect(rolesIn(second)).toEqual(['user']);
    expect(await isRevoked(second)).toBe(false);
    expect(await isRevoked((await login()).access_token)).toBe(false);
  });

  test('a claim that was taken away is the same', async () => {
    const { userId, login } = await newUser();
    const setClaims = (value: string) =>
      administrationOf(world.doors).setClaims(OPERATING, {
        tenant_id: 1,
        user_id: userId,
        claims: [{ name: 'x-hasura-department', value }],
      });
    await setClaims('sales');
    const first = await login();
    await setClaims('support');
    const second = await refresh(first);

    expect(await isRevoked(first.access_token)).toBe(true);
    expect(await isRevoked(second)).toBe(false);
  });

  describe.each(['Tenant', 'Role'] as const)('a claim of a %s', (whose) => {
    const setClaims = (tenant_id: number, claims: { name: string; value: string }[]) =>
      administrationOf(world.doors)[`set${whose}Claims`](OPERATING, { tenant_id, role: 'user', claims });
    const plan = (value: string) => [{ name: 'x-hasura-plan', value }];

    test('that is taken away or changed is in no token that counts; one that is added revokes none', async () => {
      const tenant = await newTenant();
      const { login } = await newUser(tenant.id);
      const first = await login();
      await setClaims(tenant.id, plan('gold'));
      expect(await isRevoked(first.access_token)).toBe(false);

      const gold = await refresh(first);
      expect(hasuraClaims(gold)['x-hasura-plan']).toBe('gold');
      await setClaims(tenant.id, plan('free'));
      expect(await isRevoked(gold)).toBe(true);
      const second = await login();
      expect(hasuraClaims(second.access_token)).toMatchObject({ 'x-hasura-plan': 'free' });
      expect(await isRevoked(second.access_token)).toBe(false);
      await setClaims(tenant.id, []);
      expect(await isRevoked(second.access_token)).toBe(true);
      const last = await refresh(second);
      expect(hasuraClaims(last)).not.toHaveProperty('x-hasura-plan');
      expect(await isRevoked(last)).toBe(false);
    });

    // One transaction at a time is all that PGlite has.
    if (engine !== 'postgres') return;

    test('that is taken away during a login is in no token that counts', async () => {
      const tenant = await newTenant();
      const { login } = await newUser(tenant.id);
      await setClaims(tenant.id, plan('gold'));
      const waiting = (count: number) =>
        until(`${count} wait`, async () => {
          const found = await world.database.$queryRaw<unknown[]>`
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          return found.length >= count;
        });
      const under = await world.database.$transaction(
        async (transaction) => {
          // The change is done and waits to record the revocation; the login waits for the change.
          await transaction.$executeRaw`LOCK TABLE revocations IN SHARE MODE`;
          const changed = setClaims(tenant.id, []);
          await waiting(1);
          const opened = login();
          await waiting(2);
          return { changed, opened };
        },
        { timeout: 60_000 },
      );
      await under.changed;
      const { access_token } = await under.opened;

      expect('x-hasura-plan' in hasuraClaims(access_token) && !(await isRevoked(access_token))).toBe(false);
    });
  });

  test('a claim that replaces one of the tenant or of another role takes that away', async () => {
    const tenant = await newTenant();
    const { userId, login } = await newUser(tenant.id);
    const { setTenantClaims, setRoleClaims, setClaims } = administrationOf(world.doors);
    const plan = (value: string) => ({ tenant_id: tenant.id, claims: [{ name: 'x-hasura-plan', value }] });
    await setTenantClaims(OPERATING, plan('gold'));
    const gold = (await login()).access_token;
    await setRoleClaims(OPERATING, { ...plan('silver'), role: 'user' });
    expect(await isRevoked(gold)).toBe(true);

    const silver = (await login()).access_token;
    await setRoleClaims(OPERATING, { ...plan('silver'), role: 'user' });
    expect(await isRevoked(silver)).toBe(false);
    await setClaims(OPERATING, { ...plan('free'), user_id: userId });
    expect(await isRevoked(silver)).toBe(true);

    expect(hasuraClaims((await login()).access_token)['x-hasura-plan']).toBe('free');
    await setRoleClaims(OPERATING, { ...plan('none'), role: 'guest' });
    const other = await newUser(tenant.id);
    const before = (await other.login()).access_token;
    await other.setRoles('guest', 'user', 'manager');
    expect(await isRevoked(before)).toBe(true);
  });

  test('a token that was issued right after a revocation is revoked by the next one', async () => {
    const tenant = await newTenant();
    const { login, setRoles } = await newUser(tenant.id);
    const client = await newClient(tenant.id);
    const tokens: string[] = [];
    for (const roles of [['user', 'manager'], ['user'], ['manager']]) {
      tokens.push((await login()).access_token, (await login(ahead)).access_token);
      await setRoles(...roles);
      tokens.push((await login()).access_token);
      await tenant.disable();
      await tenant.enable();
      tokens.push(await client.token());
    }
    const last = (await login()).access_token;
    await administrationOf(world.doors).revokeClient(OPERATING, { tenant_id: tenant.id, client_id: client.clientId });

    for (const token of tokens) expect(await isRevoked(token)).toBe(true);
    expect(await isRevoked(last)).toBe(false);
  });

  test('rights that are taken away again and again are refused before new tokens are too far in the future', async () => {
    const tenant = await newTenant();
    const { userId, login } = await newUser(tenant.id);
    // All at one moment, however busy the machine is.
    const at = new Date();
    const administration = administrationOf(world.doors, () => at);
    const setRoles = (...roles: string[]) =>
      administration.setRoles(OPERATING, { tenant_id: tenant.id, user_id: userId, roles });
    const setPlan = (claims: { name: string; value: string }[]) =>
      administration.setTenantClaims(OPERATING, { tenant_id: tenant.id, claims });
    const takeRoles = async () => {
      await setRoles('user', 'manager');
      await setRoles('user');
    };
    const takePlan = async () => {
      await setPlan([{ name: 'x-hasura-plan', value: 'gold' }]);
      await setPlan([]);
    };
    // What is refused to those of the tenant is not refused to operators yet.
    for (const [takeAway, mostSeconds] of [[takeRoles, 11] as const, [takePlan, 31] as const]) {
      await takeAway();
      const again = async () => {
        for (let count = 0; count < 60; count += 1) await takeAway();
      };
      await expect(again()).rejects.toMatchObject({ code: 'changed-too-often' });
      const { access_token } = await login();
      expect(claimsOf(access_token).iat).toBeLessThanOrEqual(Date.now() / 1000 + mostSeconds);
      expect(await isRevoked(access_token)).toBe(false);
    }
  });

  test('introspection says that the earlier token is not active any more', async () => {
    const { isActive } = await newClient(1);
    const { login, setRoles } = await newUser();
    const first = await login();
    expect(await isActive(first.access_token)).toBe(true);
    await setRoles('user');

    expect(await isActive(first.access_token)).toBe(false);
    expect(await isActive(await refresh(first))).toBe(true);
  });

  test('tokens of a tenant from before it was disabled stay void when it is enabled; new ones count at once', async () => {
    const tenant = await newTenant();
    const { login } = await newUser(tenant.id);
    const { token, isActive } = await newClient(tenant.id);
    const [ofUser, ofClient] = [(await login()).access_token, await token()];
    await tenant.disable();
    await tenant.enable();

    for (const void_ of [ofUser, ofClient]) {
      expect(await isRevoked(void_)).toBe(true);
      expect(await isActive(void_)).toBe(false);
    }
    for (const valid of [(await login()).access_token, await token()]) {
      expect(await isRevoked(valid)).toBe(false);
      expect(await isActive(valid)).toBe(true);
    }
  });

  test('a token from a service whose clock is ahead is revoked too', async () => {
    const { login, setRoles } = await newUser();
    const tenant = await newTenant();
    const client = await newClient(tenant.id);
    const other = await newTenant();
    const ofOther = await newClient(other.id);
    const [ofUser, ofClient, ofTenant] = [
      (await login(ahead)).access_token,
      await client.token(ahead),
      await ofOther.token(ahead),
    ];
    await setRoles('user');
    const revoked = { tenant_id: tenant.id, client_id: client.clientId };
    await administrationOf(world.doors).revokeClient(OPERATING, revoked);
    await other.disable();

    for (const token of [ofUser, ofClient, ofTenant]) expect(await isRevoked(token)).toBe(true);
  });
});
