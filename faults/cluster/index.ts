export { BALANCERS, type BalancerName, isInstalled, startBalancer } from './balancer.ts';
export { type Cluster, PROBE_TIMEOUT_SECONDS, startCluster } from './cluster.ts';
export { openPostgres, type Postgres } from './postgres.ts';
export { MISBEHAVIOURS, type Misbehaviour, PROBE_LATENCY_MS } from './probe-service.ts';
export { findFakeTime, findPostgres, findProgram } from './programs.ts';
export type { Redis } from './redis.ts';
export { createServerProcess, type Server, type StartChanges } from './server.ts';
export { signalOne } from './signals.ts';
export { PASSWORD, READERS, TENANTS, userNames, WRITERS } from './users.ts';
