import { GATEWAY_CREDENTIAL_HEADER, gatewayCredential, type Telemetry } from '../../platform/index.ts';
import type { AuthenticationDependencies, RevocationSettings } from '../access/session/index.ts';
import { recordCalls, sender, type TracedHeaders, type UpstreamHttp, type UpstreamRequest } from '../upstream/index.ts';

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
