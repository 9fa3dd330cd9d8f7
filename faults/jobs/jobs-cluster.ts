import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type ProcessGroup } from '../../bench/machine/index.ts';
import {
  type BalancerName,
  createServerProcess,
  findFakeTime,
  openPostgres,
  type Postgres,
  type Server,
  startBalancer,
} from '../cluster/index.ts';
import { EVENT_SOURCE, EVENT_TYPE, PRODUCER_SECRET } from './event-producers.ts';
import { startChaosWebhook } from './start-webhook.ts';
import { type ChaosWebhook, WEBHOOK_TIMEOUT_SECONDS } from './webhook.ts';

export const ADMIN_SECRET = 'the admin secret of the fault suite';
/** The least that the setting allows: what a killed runner holds is soon run by others. */
const LEASE_SECONDS = 3;
/** All callers have one address. */
const MAX_REQUESTS = 1_000_000;
/** Attempts that a kill ends count too. */
const MAX_ATTEMPTS = 100;

/** A gateway or a runner, and the clock that it sees. */
export interface JobsServer extends Server {
  /** Sets the clock of the process off by so many seconds; where there is no faketime, nothing. */
  skewClock(seconds: number): void;
}

/** Subscriptions of the metadata: the first one gets the events of a subject in order. */
export const SUBSCRIPTIONS = ['events_in_turn', 'events_at_once'] as const;

/** Real processes that accept and run jobs, each of which may be killed and started again. */
export interface JobsCluster {
  readonly postgres: Postgres;
  /** Of the balancer in front of the gateways. */
  readonly url: string;
  readonly balancer: BalancerName;
  readonly gateways: readonly JobsServer[];
  readonly runners: readonly JobsServer[];
  readonly webhook: ChaosWebhook;
  /** Whether clocks of processes can be set. */
  readonly hasFakeTime: boolean;
  /** When its processes were ready, by `performance.now()`. */
  readonly startedAt: number;
}

/** Workers of each gateway. */
const GATEWAY_WORKERS = 2;

export async function startJobsCluster(group: ProcessGroup, balancer: BalancerName = 'plain'): Promise<JobsCluster> {
  const postgres = await openPostgres(group);
  const webhook = await startChaosWebhook();
  group.afterwards(() => webhook.close());
  const environment = {
    NODE_ENV: 'production',
    HASURA_GRAPHQL_METADATA_DIR: writeJobsMetadata(group.directory('metadata'), webhook.url),
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: postgres.url,
    HASURA_GRAPHQL_LOG_LEVEL: 'warn',
    PORTICO_METADATA_WATCH: 'false',
    PRODUCER_SECRET,
    SUBSCRIPTION_SECRET: 'the secret of the webhooks of the fault suite',
    PORTICO_JOBS_LEASE_SECONDS: String(LEASE_SECONDS),
    // All jobs are those of few callers.
    PORTICO_JOBS_MAX_PER_USER: '0',
    PORTICO_JOBS_MAX_PER_TENANT: '0',
  };
  const library = findFakeTime();
  const server = async (name: string, mode: 'accept' | 'run'): Promise<JobsServer> => {
    const port = await freePort();
    const clock = join(group.directory('clock'), 'offset');
    const skewClock = (seconds: number) => writeFileSync(clock, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
    skewClock(0);
    const process = createServerProcess(group, {
      name,
      script: 'gateway/main.js',
      address: `127.0.0.1:${port}`,
      environment: {
        ...environment,
        HASURA_GRAPHQL_SERVER_PORT: String(port),
        PORTICO_JOBS: mode,
        PORTICO_WORKERS: String(mode === 'accept' ? GATEWAY_WORKERS : 1),
        ...(library && {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: clock,
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        }),
      },
    });
    return Object.assign(process, { skewClock });
  };
  const gateways = [await server('gateway-1', 'accept'), await server('gateway-2', 'accept')] as const;
  const runners = [await server('runner-1', 'run'), await server('runner-2', 'run')];
  await Promise.all([...gateways, ...runners].map((each) => each.start()));
  const publicAddress = `127.0.0.1:${await freePort()}`;
  const addresses = gateways.map(({ url }) => new URL(url).host) as [string, string];
  // There is no auth service: what the balancer has for one leads nowhere.
  const nowhere = `127.0.0.1:${await freePort()}`;
  const balancing = await startBalancer(balancer, group, {
    publicAddress,
    authAddress: `127.0.0.1:${await freePort()}`,
    tls: undefined,
    maxRequestsPerAddress: MAX_REQUESTS,
    gateways: addresses,
    authServices: [nowhere, nowhere],
  });
  if (!balancing) throw new Error(`${balancer} is not installed`);
  group.afterwards(() => balancing.stop());
  return {
    postgres,
    url: `http://${publicAddress}`,
    balancer,
    gateways,
    runners,
    webhook,
    hasFakeTime: library !== undefined,
    startedAt: performance.now(),
  };
}

/** Two actions, of which one keeps the order of each user, a trigger for each minute, and two subscriptions of events. */
function writeJobsMetadata(directory: string, webhookUrl: string): string {
  const action = (name: string, job: object) => ({
    name,
    definition: {
      kind: 'asynchronous',
      handler: `${webhookUrl}/${name}`,
      timeout: WEBHOOK_TIMEOUT_SECONDS,
      job: { max_attempts: MAX_ATTEMPTS, ...job },
    },
    permissions: [{ role: 'user' }],
  });
  const files = {
    'version.yaml': { version: 3 },
    'actions.yaml': {
      actions: [action('in_turn', { order_by_session_variable: 'x-hasura-user-id' }), action('at_once', {})],
    },
    'cron_triggers.yaml': [
      {
        name: 'each_minute',
        webhook: `${webhookUrl}/cron`,
        schedule: '* * * * *',
        include_in_metadata: true,
        retry_conf: { num_retries: 20, timeout_seconds: WEBHOOK_TIMEOUT_SECONDS, retry_interval_seconds: 1 },
      },
    ],
  };
  mkdirSync(directory, { recursive: true });
  const retry = { num_retries: MAX_ATTEMPTS, timeout_seconds: WEBHOOK_TIMEOUT_SECONDS, retry_interval_seconds: 1 };
  const subscription = (name: string) => ({
    name,
    types: [EVENT_TYPE],
    all_tenants: true,
    webhook: `${webhookUrl}/${name}`,
    secret_from_env: 'SUBSCRIPTION_SECRET',
    retry_conf: retry,
  });
  const [inTurn, atOnce] = SUBSCRIPTIONS;
  const producer = { name: 'suite', secret_from_env: 'PRODUCER_SECRET', sources: [EVENT_SOURCE], types: [EVENT_TYPE] };
  const deliveries = {
    producers: [{ ...producer, all_tenants: true }],
    subscriptions: [{ ...subscription(inTurn), order_key: 'subject' }, subscription(atOnce)],
  };
  writeFileSync(join(directory, 'deliveries.yaml'), JSON.stringify(deliveries));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), JSON.stringify(content));
  writeFileSync(
    join(directory, 'actions.graphql'),
    'type Mutation { in_turn(number: Int!): Result at_once(number: Int!): Result } type Result { number: Int }',
  );
  return directory;
}
