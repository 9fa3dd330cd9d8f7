/**
 * Paths that load balancers and orchestrators request every few seconds. Their traces and log lines would outnumber and hide
 * all others.
 */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/hasura/healthz', '/readyz']);
