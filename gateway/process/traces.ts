import { packageVersion } from '../../platform/command-line.ts';
import {
  GATEWAY_CREDENTIAL_HEADER,
  gatewayCredential,
  type Logger,
  type MetricsPushDefaults,
  openTelemetry,
  type Telemetry,
  type TracingDefaults,
} from '../../platform/index.ts';
import type { AuthenticationDependencies, RevocationSettings } from '../access/session/index.ts';
import { type GatewayConfig, SERVICE_NAME } from '../config.ts';
import type { MetadataSubscriber } from '../graph/index.ts';
import { type Environment, type Metadata, metricsPushOf, tracingOf } from '../metadata/index.ts';
import { recordCalls, sender, type TracedHeaders, type UpstreamHttp, type UpstreamRequest } from '../upstream/index.ts';
import type { GatewayMetrics } from './metrics/index.ts';
import { withStartErrors } from './start-errors.ts';

/** Opens the gateway's telemetry with the settings in the metadata. @throws StartError if they are invalid. */
export function openGatewayTelemetry(config: GatewayConfig, metadata: Metadata, log: Logger): Promise<Telemetry> {
  return openTelemetry(
    { settings: config, serviceName: SERVICE_NAME, serviceVersion: packageVersion(), log },
    withStartErrors(() => tracesOfMetadata(metadata, config.environment)),
  );
}

/** Returns the tracing that `opentelemetry.yaml` configures. @throws MetadataError if it is invalid. */
function tracesOfMetadata({ openTelemetry, place }: Metadata, environment: Environment): TracingDefaults | undefined {
  return tracingOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Updates tracing when the metadata changes. */
export function followTracesOfMetadata(telemetry: Telemetry, environment: Environment): MetadataSubscriber {
  return {
    prepare: (metadata) => {
      const defaults = tracesOfMetadata(metadata, environment);
      return () => void telemetry.configure(defaults);
    },
  };
}

/** Returns the push of metrics that `opentelemetry.yaml` configures. @throws MetadataError if it is invalid. */
export function metricsPushOfMetadata(
  { openTelemetry, place }: Metadata,
  environment: Environment,
): MetricsPushDefaults | undefined {
  return metricsPushOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Updates the push of metrics when the metadata changes. @param metrics undefined while the gateway starts. */
export function followMetricsOfMetadata(
  metrics: () => GatewayMetrics | undefined,
  environment: Environment,
): MetadataSubscriber {
  return {
    prepare: (metadata) => {
      const defaults = metricsPushOfMetadata(metadata, environment);
      return () => metrics()?.configure(defaults);
    },
  };
}

type SessionCalls = Pick<AuthenticationDependencies, 'call' | 'callForKeys'>;

/**
 * Returns the calls of authentication to other services, with a span for each. The span of a hook is below the request's span.
 * Fetching keys has a trace of its own, since no single request caused it. Revocations are polled every few seconds and have no
 * spans.
 */
export function tracedSessionCalls(http: UpstreamHttp, telemetry: Pick<Telemetry, 'tracer'>): SessionCalls {
  const call = sender(recordCalls({ name: 'auth-hook', kind: 'auth-hook' }, uncounted)(http.dispatch));
  const fetchKeys = sender(recordCalls({ name: 'jwks', kind: 'jwks' }, uncounted)(http.dispatch));
  return {
    call,
    callForKeys: async (request: UpstreamRequest) => {
      const span = telemetry.tracer?.startRoot('fetch token keys');
      try {
        return await fetchKeys({ ...request, span });
      } catch (error) {
        span?.fail('no-answer');
        throw error;
      } finally {
        span?.end();
      }
    },
  };
}

/** These calls belong to no source. */
const uncounted = () => undefined;

/**
 * Returns the headers that identify a gateway to the auth service, so that it continues the trace. The auth service is the
 * server whose revocations are polled. Returns undefined without a secret for revocations.
 */
export function headersForAuthService(revocations: RevocationSettings | undefined): TracedHeaders | undefined {
  if (revocations?.secret === undefined) return undefined;
  const { origin } = new URL(revocations.url);
  return { origin, headers: [GATEWAY_CREDENTIAL_HEADER, gatewayCredential(revocations.secret)] };
}
