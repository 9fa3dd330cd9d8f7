import type { Logger, Telemetry } from '../../platform/index.ts';
import type { Authenticator } from '../access/session/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { LiveGraph } from '../graph/index.ts';
import {
  type AccessLog,
  createAccessLog,
  type RequestSpans,
  requestSpans,
  type SocketSpans,
  socketSpans,
} from '../operations/monitoring/index.ts';
import type { Usage } from '../operations/usage/index.ts';
import { OperationPipeline } from '../pipeline/index.ts';
import { openSubscriptions, type Subscriptions } from '../transports/subscriptions/index.ts';
import { connectionLimits, pipelineSettings } from './room-settings.ts';
import type { SharedState } from './shared-state.ts';

/** The parts that run clients' operations, over HTTP and over long-lived connections, and those that record them. */
export interface Operations {
  readonly operations: OperationPipeline;
  readonly subscriptions: Subscriptions;
  readonly accessLog: AccessLog;
  readonly requestSpans: RequestSpans;
  readonly socketSpans: SocketSpans;
}

export interface OperationsOptions {
  readonly config: GatewayConfig;
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  readonly trustsOrigin: (origin: string) => boolean;
  readonly sharedState: SharedState;
  /** Undefined if usage is not counted. */
  readonly usage: Usage | undefined;
  readonly telemetry: Telemetry;
  readonly log: Logger;
}

export function openOperations(options: OperationsOptions): Operations {
  const { config, graph, authenticator, trustsOrigin, sharedState, usage, telemetry, log } = options;
  const operations = new OperationPipeline({
    ...pipelineSettings(config),
    graph,
    authenticator,
    rateLimiter: sharedState.rateLimiter,
    sharedDocuments: sharedState.documents,
    usage,
  });
  const accessLog = createAccessLog(log);
  const tracing = {
    telemetry,
    trust: config.PORTICO_TRACE_TRUST,
    trustedProxies: config.PORTICO_TRUSTED_PROXIES,
    respondWithTrace: config.PORTICO_TRACE_RESPONSE,
  };
  const spansOfSockets = socketSpans(tracing);
  const subscriptions = openSubscriptions({
    logOperation: accessLog.operation,
    operationSpans: spansOfSockets.operations,
    operations,
    authenticator,
    trustsOrigin,
    limits: connectionLimits(config),
  });
  return { operations, subscriptions, accessLog, requestSpans: requestSpans(tracing), socketSpans: spansOfSockets };
}
