/**
 * Paths that balancers and orchestrators request every few seconds. Their traces and log lines would be most of what there is, and
 * hide the others.
 */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/hasura/healthz', '/readyz']);
