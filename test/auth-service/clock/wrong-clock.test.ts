import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabaseClock } from '../../../auth-service/clock/index.ts';
import { createLogger } from '../../../platform/index.ts';
import { preferredEngine } from '../../database/index.ts';
import { administrationOf, OPERATING } from '../operator.ts';
import { REVOCATION_SECRET, startTestService, type TestService } from '../service.ts';
import { claimsOf, sessionClient } from '../session-client.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';

const PASSWORD = 'a password of somebody, long';
const DAY_MS = 86_400_000;

let world: World;
beforeAll(async () => {
  world = await createWorld(preferredEngine());
  await world.addTenant(1, 'acme');
  await world.addUser(1, 'alice', PASSWORD, { allowedRoles: ['user', 'manager'] });
});
afterAll(() => world.close());

test('the clock follows that of the database, before and after a jump, and says so', async () => {
  let ahead = 60 * DAY_MS;
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const systemNow = () => new Date(Date.now() + ahead);
  const clock = openDatabaseClock({ database: world.doors, logger, systemNow });
  const errorMs = () => Math.abs(clock.now().getTime() - Date.now());

  await clock.measure();
  await clock.measure();
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  ahead = -3 * DAY_MS;
  await clock.measure();
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  ahead = 0;
  await clock.measure();
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  const said = lines.map((line) => JSON.parse(line)).map(({ level, event }) => `${level} ${event}`);
  expect(said).toEqual(['warn clock.corrected', 'warn clock.corrected', 'info clock.corrected']);
});

test('a step of the clock between two measurements has no effect, and is measured soon', async () => {
  let steppedMs = 0;
  let suspendedMs = 0;
  let ticks = () => Promise.resolve();
  let stopped = 0;
  const lines: string[] = [];
  const clock = openDatabaseClock({
    database: world.doors,
    logger: createLogger('test', 'info', { write: (line) => void lines.push(line) }),
    systemNow: () => new Date(Date.now() + steppedMs),
    monotonicNow: () => performance.now() - suspendedMs,
    every: (_milliseconds, action) => {
      ticks = action;
      return () => void stopped++;
    },
  });
  const errorMs = () => Math.abs(clock.now().getTime() - Date.now());
  await clock.start();

  steppedMs = 2 * DAY_MS;
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  await until('the step is logged', () => lines.length === 1);
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  // As after a virtual machine has been suspended: the next measurement puts it right, whatever asks for it.
  suspendedMs = DAY_MS;
  clock.now();
  await until('the suspension is measured', () => errorMs() < DAY_MS / 24);
  suspendedMs = 2 * DAY_MS;
  await ticks();
  expect(errorMs()).toBeLessThan(DAY_MS / 24);
  clock.stop();
  expect(stopped).toBe(1);
});

test.each([
  ['ahead', 60],
  ['behind', -60],
])(
  'a service whose clock is sixty days %s harms no session, token, revocation or key of the others',
  async (_way, days) => {
    const systemNow = () => new Date(Date.now() + days * DAY_MS);
    await administrationOf(world.doors).rotateKeys(OPERATING, {});
    const wrong = await startTestService(world.databaseUrl, {}, { systemNow });
    const logsIn = (service: TestService) => sessionClient(service.url).login('alice', PASSWORD, 1);
    const iat = (token: string) => claimsOf(token).iat * 1000;
    const revoked = async () => {
      const response = await fetch(`${wrong.url}/revocations`, {
        headers: { authorization: `Bearer ${REVOCATION_SECRET}` },
      });
      expect(Math.abs(Date.parse(response.headers.get('date') ?? '') - Date.now())).toBeLessThan(DAY_MS);
      return ((await response.json()) as { revocations: { sid?: string }[] }).revocations.map(({ sid }) => sid);
    };
    try {
      const tokens = await logsIn(wrong);
      expect(Math.abs(iat(tokens.access_token) - Date.now())).toBeLessThan(DAY_MS);

      const right = await logsIn(world.service);
      const { result } = await sessionClient(wrong.url).refresh(right.refresh_token);
      expect(result.success).toBe(true);
      await sessionClient(wrong.url).logout(undefined, tokens.access_token);
      expect(await revoked()).toContain(claimsOf(tokens.access_token).sid);
      // A start does what is due.
      const keys = await administrationOf(world.doors).listKeys(OPERATING);
      expect(keys.map(({ state }) => state)).toEqual(['active', 'next']);
    } finally {
      await wrong.stop();
    }
  },
);
