import { preferredEngine } from '../../database/index.ts';
import { type GraphAnswer, type LoginAnswer, THROTTLED } from '../service.ts';
import { sessionClient } from '../session-client.ts';
import { createWorld, type World } from '../world.ts';

/** A clock that stands still until it is moved on. */
export interface Clock {
  now(): Date;
  advance(seconds: number): void;
}

function createClock(): Clock {
  let time = Date.parse('2026-11-21T12:00:00Z');
  return {
    now: () => new Date(time),
    advance: (seconds) => {
      time += seconds * 1000;
    },
  };
}

export interface ThrottledWorld extends World {
  readonly clock: Clock;
  /** Logs in from an address, to which the service is told by the gateway. */
  login(username: string, password: string, address: string, tenantId?: number): Promise<Outcome>;
}

/** What a caller was told: the status that an HTTP endpoint would have, and when to come back. */
export interface Outcome {
  status: number;
  retryAfter: number | undefined;
  answer: LoginAnswer | undefined;
}

/** A service with the limits of the defaults, people who log in, and a clock of the test's own. */
export async function openThrottledWorld(): Promise<ThrottledWorld> {
  const clock = createClock();
  const world = await createWorld(preferredEngine(), THROTTLED, { now: clock.now });
  await world.addTenant(1, 'acme');
  await world.addTenant(2, 'globex');
  return {
    ...world,
    clock,
    login: (username, password, address, tenantId = 1) =>
      loginAt(world.service.url, username, password, address, tenantId),
  };
}

export async function loginAt(
  url: string,
  username: string,
  password: string,
  address: string,
  tenantId = 1,
): Promise<Outcome> {
  const query = `mutation ($data: AuthUserLoginInput!) {
    auth_user_login(data: $data) { success error_message data { access_token expires_in refresh_token } }
  }`;
  const data = { username, password, tenant_id: tenantId };
  const { text } = await sessionClient(url).ask(query, { data }, { 'x-forwarded-for': address });
  return outcomeOf(JSON.parse(text));
}

export function outcomeOf({ data, extensions }: GraphAnswer['body']): Outcome {
  const retryAfter = extensions?.http?.headers?.['retry-after'];
  return {
    status: extensions?.http?.status ?? 200,
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    answer: data?.auth_user_login,
  };
}

/** Calls `attempt` so many times, one after the other. */
export async function times<Result>(count: number, attempt: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < count; index += 1) results.push(await attempt(index));
  return results;
}

export const statuses = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status);
