/** Publishes the keys that verify assertions, also where everything else below /.well-known is passed through. */
export const ASSERTION_KEYS_PATH = '/.well-known/portico-jwks.json';

/** Handlers of asynchronous actions report the progress of their jobs there. */
export const JOB_PROGRESS_PATH = '/v1/jobs/progress';

export const GRAPHQL_PATH = '/v1/graphql';
/** Hasura's first address of GraphQL, which old clients still use. */
export const OLD_GRAPHQL_PATH = '/v1alpha1/graphql';

const OWN =
  /^\/(?:v1|v1alpha1|api\/rest|api\/swagger|healthz|readyz|hasura\/healthz|\.well-known\/portico-jwks\.json)(?:\/|$)/i;

/**
 * Whether a path is the gateway's to answer, whatever is passed through above it. Other spellings of its paths are reserved
 * too, and answered with 404: a service may compare letters differently.
 */
export function isOwnPath(path: string): boolean {
  return OWN.test(path);
}
