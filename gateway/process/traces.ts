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

/** Opens the telemetry of the gateway, with what the metadata says of it. @throws StartError where that is invalid. */
export function openGatewayTelemetry(config: GatewayConfig, metadata: Metadata, log: Logger): Promise<Telemetry> {
  return openTelemetry(
    { settings: config, serviceName: SERVICE_NAME, serviceVersion: packageVersion(), log },
    withStartErrors(() => tracesOfMetadata(metadata, config.environment)),
  );
}

/** The tracing that `opentelemetry.yaml` configures. @throws MetadataError where it is invalid. */
function tracesOfMetadata({ openTelemetry, place }: Metadata, environment: Environment): TracingDefaults | undefined {
  return tracingOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Has tracing follow the metadata. */
export function followTracesOfMetadata(telemetry: Telemetry, environment: Environment): MetadataSubscriber {
  return {
    prepare: (metadata) => {
      const defaults = tracesOfMetadata(metadata, environment);
      return () => void telemetry.configure(defaults);
    },
  };
}

/** The push of metrics that `opentelemetry.yaml` configures. @throws MetadataError where it is invalid. */
export function metricsPushOfMetadata(
  { openTelemetry, place }: Metadata,
  environment: Environment,
): MetricsPushDefaults | undefined {
  return metricsPushOf(openTelemetry, environment, (path) => place('openTelemetry', path));
}

/** Has the push of metrics follow the metadata. @param metrics undefined while the gateway starts. */
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
 * What authentication asks other services for, with a span of each call: of a hook below the request's, of keys in a trace of
 * their own, since no request alone has caused them. Revocations are polled every few seconds and have none.
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

/** They belong to no source. */
const uncounted = () => undefined;

/**
 * What shows the auth service that a request is a gateway's, so that it continues the trace. The auth service is where
 * revocations are polled; without the secret for them there is nothing to show.
 */
export function headersForAuthService(revocations: RevocationSettings | undefined): TracedHeaders | undefined {
  if (revocations?.secret === undefined) return undefined;
  const { origin } = new URL(revocations.url);
  return { origin, headers: [GATEWAY_CREDENTIAL_HEADER, gatewayCredential(revocations.secret)] };
}
