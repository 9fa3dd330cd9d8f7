import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, PASSWORD, signalOne, TENANTS } from '../../../faults/cluster/index.ts';
import { ADMIN_SECRET, type ObservedCluster } from './observed-cluster.ts';
import type { Prometheus } from './prometheus.ts';

const LOOK_EVERY_MS = 100;
/** One-off events to a webhook that does not answer. */
const WAITING_JOBS = 30;

interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** What does not happen while all is well, so that the series about it would be empty. */
export async function causeEvents({ cluster, webhook }: ObservedCluster, prometheus: Prometheus): Promise<void> {
  await Promise.all([
    guessPasswords(cluster),
    reuseRefreshToken(cluster),
    logOut(cluster),
    sendInvalidOperation(cluster),
    failToReload(cluster, prometheus),
    queueOrders(cluster),
    failJobs(cluster, webhook),
  ]);
  // A reload asks the services for their schemas.
  await refuseOrders(cluster);
  await loseDatabase(cluster, webhook);
  failProbes(cluster);
  // The last one, since it ends connections.
  killWorker(cluster);
}

async function callGateway(cluster: Cluster, path: string, body?: unknown, token?: string): Promise<unknown> {
  const response = await fetch(`${cluster.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.json();
}

async function logIn(cluster: Cluster): Promise<TokenPair> {
  const account = { username: 'user-0', password: PASSWORD, tenant_id: TENANTS.readers };
  const answer = (await callGateway(cluster, '/api/rest/auth_user_login', account)) as {
    auth_user_login: { data: TokenPair };
  };
  return answer.auth_user_login.data;
}

/** More often than attempts are free, so that the last of them are throttled. */
async function guessPasswords(cluster: Cluster): Promise<void> {
  const guess = { username: 'not-a-user', password: 'a wrong password', tenant_id: TENANTS.readers };
  for (let tries = 0; tries < 12; tries++) await callGateway(cluster, '/api/rest/auth_user_login', guess);
}

async function reuseRefreshToken(cluster: Cluster): Promise<void> {
  const { refresh_token } = await logIn(cluster);
  for (let uses = 0; uses < 2; uses++) await callGateway(cluster, '/api/rest/auth_token_refresh', { refresh_token });
}

async function logOut(cluster: Cluster): Promise<void> {
  const { access_token } = await logIn(cluster);
  await callGateway(cluster, '/api/rest/auth_user_logout', {}, access_token);
}

async function sendInvalidOperation(cluster: Cluster): Promise<void> {
  const { access_token } = await logIn(cluster);
  await callGateway(cluster, '/v1/graphql', { query: '{ noSuchField }' }, access_token);
}

async function failToReload({ gateways, metadataDirectory }: Cluster, { query }: Prometheus): Promise<void> {
  const [gateway] = gateways;
  const file = join(metadataDirectory, 'actions.graphql');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, 'this is no GraphQL');
  signalOne(gateway.pid, 'SIGHUP');
  while ((await query('portico_reloads_total{outcome="failure"} > 0')).length === 0) await sleep(LOOK_EVERY_MS);
  writeFileSync(file, text);
  signalOne(gateway.pid, 'SIGHUP');
}

function killWorker({ gateways }: Cluster): void {
  const [gateway] = gateways;
  const worker = gateway.pids().find((pid) => pid !== gateway.pid);
  if (worker !== undefined) signalOne(worker, 'SIGKILL');
}

/** The load calls it, so that its circuit breaker opens, and goes on calling it. */
function failProbes({ probe }: Cluster): void {
  probe.misbehave('reset');
}

/** More at a time than the bulkheads let through, so that some wait. */
async function queueOrders(cluster: Cluster): Promise<void> {
  const { access_token } = await logIn(cluster);
  const all = Array.from({ length: 60 }, () => callGateway(cluster, '/api/rest/orders', undefined, access_token));
  await Promise.all(all);
}

/** Some that have failed for the last time, and more than run at a time, so that others wait. */
async function failJobs(cluster: Cluster, webhook: string): Promise<void> {
  await scheduleEvent(cluster, `${webhook}/fails`);
  for (let count = 0; count < WAITING_JOBS; count++) await scheduleEvent(cluster, `${webhook}/waits`);
}

function scheduleEvent(cluster: Cluster, webhook: string): Promise<unknown> {
  const args = {
    webhook,
    schedule_at: new Date().toISOString(),
    payload: {},
    retry_conf: { num_retries: 0, timeout_seconds: 60 },
  };
  return callMetadata(cluster, { type: 'create_scheduled_event', args });
}

async function callMetadata({ url }: Cluster, command: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-hasura-admin-secret': ADMIN_SECRET };
  const response = await fetch(`${url}/v1/metadata`, { method: 'POST', headers, body: JSON.stringify(command) });
  return response.json();
}

/** While the service is away, its REST endpoint answers with a server error. */
async function refuseOrders(cluster: Cluster): Promise<void> {
  const { access_token } = await logIn(cluster);
  await cluster.orders.kill();
  for (let tries = 0; tries < 10; tries++) await callGateway(cluster, '/api/rest/orders', undefined, access_token);
  await cluster.orders.start();
}

/** While the database is away, an auth service answers probes with a server error, and jobs are refused. */
async function loseDatabase(cluster: Cluster, webhook: string): Promise<void> {
  const {
    postgres,
    authServices: [authService],
  } = cluster;
  await postgres.stop('SIGINT');
  for (let tries = 0; tries < 4; tries++) await scheduleEvent(cluster, webhook);
  while ((await authService.readiness()).status !== 503) await sleep(LOOK_EVERY_MS);
  await postgres.start();
}
