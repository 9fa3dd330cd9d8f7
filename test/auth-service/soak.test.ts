import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { availableEngines } from '../database/index.ts';
import { administrationOf, OPERATING } from './operator.ts';
import { type RunningProcess, runProgram } from './process.ts';
import { environment } from './service.ts';
import { claimsOf, type SessionClient, sessionClient } from './session-client.ts';
import { createWorld, type World } from './world.ts';

const PASSWORD = 'a password of somebody, long';
const TENANTS = [1, 2];
const NAMES = ['alice', 'bob', 'carol', 'dave'];
const WORKERS = 12;
const STEPS = 40;

interface Person {
  tenantId: number;
  name: string;
  userId: string;
}

/** A session as its client knows it: the token that it would send next, and one that it has traded. */
interface Held {
  person: Person;
  sessionId: string;
  accessToken: string;
  token: string;
  traded?: string;
}

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

if ((await availableEngines()).includes('postgres'))
  describe('hundreds of logins, refreshes and logouts at two services at once', () => {
    let world: World;
    let direct: pg.Client;
    let services: RunningProcess[];
    let clients: SessionClient[];
    const people: Person[] = [];
    const held: Held[] = [];
    const counts = { logins: 0, wrong: 0, traded: 0, refusedTokens: 0 };

    beforeAll(async () => {
      const settings = {
        AUTH_HOUSEKEEPING_MINUTES: '0',
        AUTH_REFRESH_TOKEN_GRACE_SECONDS: '1',
        AUTH_HASH_QUEUE_LIMIT: '1000',
        AUTH_THROTTLE_TENANT: 'free=100000',
        AUTH_LOG_LEVEL: 'warn',
      };
      world = await createWorld('postgres', settings);
      direct = new pg.Client({ connectionString: world.databaseUrl });
      await direct.connect();
      services = [1, 2].map(() => runProgram('main.js', environment(world.databaseUrl, settings)));
      const ports = await Promise.all(services.map(({ ready }) => ready));
      clients = ports.map((port) => sessionClient(`http://127.0.0.1:${port}`));
      for (const tenantId of TENANTS) {
        await world.addTenant(tenantId, `tenant ${tenantId}`);
        for (const name of NAMES)
          people.push({ tenantId, name, userId: await world.addUser(tenantId, name, PASSWORD) });
      }
      await Promise.all(Array.from({ length: WORKERS }, (_, number) => work(dice(number + 1))));
    }, 120_000);
    afterAll(async () => {
      for (const { child } of services) child.kill('SIGKILL');
      await direct.end();
      await world.close();
    });

    async function work(roll: (sides: number) => number): Promise<void> {
      const any = <Item>(items: readonly Item[]): Item => {
        const item = items[roll(items.length)];
        if (item === undefined) throw new Error('there is nothing to choose from');
        return item;
      };
      for (let step = 0; step < STEPS; step += 1) {
        const chance = roll(100);
        if (held.length < 4 || chance < 25) await login(any(people), any(clients));
        else if (chance < 50) await refresh(any(held), [any(clients)]);
        else if (chance < 68) await refresh(any(held), [any(clients), any(clients), any(clients)]);
        else if (chance < 74) await replay(any(held), any(clients));
        else if (chance < 82) await any(clients).logout({ refresh_token: any(held).token });
        else if (chance < 85) await any(clients).logout({ all: true }, any(held).accessToken);
        else if (chance < 90) await any(clients).revoke(any(held).sessionId, any(held).accessToken);
        else if (chance < 95) await wrongPassword(any(people), any(clients));
        else await disableAndEnable(any(people));
      }
    }

    async function login(person: Person, client: SessionClient): Promise<void> {
      // A user may be disabled just now.
      const tokens = await client.login(person.name, PASSWORD, person.tenantId).catch(() => undefined);
      if (!tokens) {
        counts.wrong += 1;
        return;
      }
      counts.logins += 1;
      const { access_token: accessToken, refresh_token: token } = tokens;
      held.push({ person, sessionId: claimsOf(accessToken).sid, accessToken, token });
    }

    async function refresh(session: Held, at: readonly SessionClient[]): Promise<void> {
      const { token } = session;
      const answers = await Promise.all(at.map((client) => client.refresh(token)));
      for (const { result } of answers) {
        if (!result.data) {
          counts.refusedTokens += 1;
          continue;
        }
        counts.traded += 1;
        expect(claimsOf(result.data.access_token)).toMatchObject({
          sid: session.sessionId,
          sub: session.person.userId,
          tenant_id: session.person.tenantId,
        });
        if (session.token === token) Object.assign(session, { token: result.data.refresh_token, traded: token });
      }
    }

    /** Sends a token that was traded, which is a reply that got lost or a copy. */
    async function replay({ traded }: Held, client: SessionClient): Promise<void> {
      if (traded === undefined) return;
      if ((await client.refresh(traded)).result.success) counts.traded += 1;
      else counts.refusedTokens += 1;
    }

    async function wrongPassword({ name, tenantId }: Person, client: SessionClient): Promise<void> {
      await expect(client.login(name, 'wrong', tenantId)).rejects.toThrow('refused');
      counts.wrong += 1;
    }

    async function disableAndEnable({ tenantId, userId }: Person): Promise<void> {
      const user = { tenant_id: tenantId, user_id: userId };
      const { disableUser, enableUser } = administrationOf(world.doors);
      await disableUser(OPERATING, user);
      await enableUser(OPERATING, user);
    }

    async function number(sql: string): Promise<number> {
      const { rows } = await direct.query(`SELECT (${sql})::int AS number`);
      return rows[0]?.number;
    }

    const ENDED = 'SELECT * FROM sessions WHERE revoked_at IS NOT NULL';

    test('there was much of everything', async () => {
      expect(counts.logins).toBeGreaterThan(80);
      expect(counts.traded).toBeGreaterThan(80);
      expect(counts.refusedTokens).toBeGreaterThan(10);
      expect(await number(`SELECT count(*) FROM (${ENDED}) AS ended`)).toBeGreaterThan(30);
    });

    test('every session has its current token, and at most the one before it', async () => {
      const { rows } = await direct.query(`
        SELECT sessions.id FROM sessions LEFT JOIN refresh_tokens AS token
          ON token.tenant_id = sessions.tenant_id AND token.session_id = sessions.id
        GROUP BY sessions.tenant_id, sessions.id
        HAVING count(token) FILTER (WHERE used_at IS NULL) <> 1 OR count(token) <> least(sessions.refresh_generation, 2)
          OR max(token.generation) <> sessions.refresh_generation`);
      expect(rows).toEqual([]);
      expect(
        await number(`SELECT count(*) FROM refresh_tokens AS token WHERE generation > 1 AND used_at IS NULL AND NOT EXISTS (
          SELECT FROM refresh_tokens AS parent WHERE parent.tenant_id = token.tenant_id
            AND parent.session_id = token.session_id AND parent.hash = token.parent_hash AND parent.used_at IS NOT NULL)`),
      ).toBe(0);
    });

    test('no row is an orphan or of two tenants', async () => {
      expect(await number('SELECT count(*) FROM sessions')).toBe(counts.logins);
      expect(
        await number(`SELECT count(*) FROM refresh_tokens AS token WHERE NOT EXISTS (
          SELECT FROM sessions JOIN users ON users.tenant_id = sessions.tenant_id AND users.id = sessions.user_id
          WHERE sessions.id = token.session_id AND sessions.tenant_id = token.tenant_id)`),
      ).toBe(0);
      for (const { person, sessionId } of held) {
        const { rows } = await direct.query('SELECT tenant_id, user_id FROM sessions WHERE id = $1', [sessionId]);
        expect(rows).toEqual([{ tenant_id: person.tenantId, user_id: person.userId }]);
      }
    });

    test('every session that ended is known to the verifiers, and none that goes on', async () => {
      const { rows: ended } = await direct.query(`SELECT id::text FROM (${ENDED}) AS ended ORDER BY 1`);
      const { rows: revoked } = await direct.query(
        'SELECT DISTINCT session_id::text AS id FROM revocations ORDER BY 1',
      );

      expect(revoked).toEqual(ended);
    });

    test('a token that a client holds is good if its session goes on, and only then', async () => {
      const { rows } = await direct.query(`SELECT id::text FROM (${ENDED}) AS ended`);
      const ended = new Set(rows.map(({ id }) => id));
      for (const [index, session] of held.entries()) {
        const client = clients[index % clients.length];
        expect([session.sessionId, (await client?.me(session.accessToken))?.result !== null]).toEqual([
          session.sessionId,
          !ended.has(session.sessionId),
        ]);
        if (ended.has(session.sessionId)) {
          expect((await client?.refresh(session.token))?.result).toMatchObject({ success: false });
          counts.refusedTokens += 1;
        }
      }
    });

    test('the audit log has each event as often as it happened, and no others', async () => {
      for (const { child } of services) child.kill('SIGTERM');
      expect(await Promise.all(services.map(({ ended }) => ended))).toEqual([0, 0]);
      const audited = (event: string, outcome: string, more = 'true') =>
        number(`SELECT coalesce(sum(coalesce((details ->> 'repeated')::int, 1)), 0) FROM audit_log
          WHERE event = '${event}' AND outcome = '${outcome}' AND ${more}`);

      expect(await audited('login', 'success')).toBe(counts.logins);
      expect(await audited('login', 'refused')).toBe(counts.wrong);
      const counted = await number('SELECT sum(refreshes_unaudited) FROM sessions');
      expect(counted).toBeGreaterThan(0);
      expect((await audited('refresh', 'success')) + counted).toBe(counts.traded);
      // The number of a session's token advances by 1 to 128 at each exchange.
      const exchanged = (await audited('refresh', 'success', "NOT details ? 'again'")) + counted;
      const advanced = await number('SELECT sum(refresh_generation - 1) FROM sessions');
      expect(exchanged).toBeLessThanOrEqual(advanced);
      expect(exchanged * 128).toBeGreaterThanOrEqual(advanced);
      expect((await audited('refresh', 'refused')) + (await audited('refresh.reuse', 'refused'))).toBe(
        counts.refusedTokens,
      );
      expect(await number("SELECT sum((details ->> 'ended_sessions')::int) FROM audit_log")).toBe(
        await number(`SELECT count(*) FROM (${ENDED}) AS ended`),
      );
      expect(
        await number(`SELECT count(*) FROM audit_log JOIN sessions ON sessions.id::text = details ->> 'session_id'
          WHERE audit_log.tenant_id <> sessions.tenant_id OR (subject_kind = 'user' AND subject_id <> user_id::text)`),
      ).toBe(0);
    });

    test('nothing went wrong in either service', () => {
      for (const service of services)
        expect([service.stderr(), service.stdout()]).toEqual(['', expect.not.stringContaining('"level":"error"')]);
    });
  });
else test.todo('NOT TESTED WITHOUT POSTGRESQL: hundreds of logins, refreshes and logouts at two services');
