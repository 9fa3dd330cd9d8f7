export { MIN_SECRET_LENGTH } from './action-signature.ts';
export { VERBATIM } from './action-webhook.ts';
export { openActions } from './actions.ts';
export type { Call, HttpHints } from './call.ts';
export { clientHeaderForwarding } from './client-headers.ts';
export type { Forward, ForwardedAnswer } from './remote-executor.ts';
export { type RemoteSchema, remoteSchema } from './remote-schema.ts';
export {
  ADMIN_ROLE,
  type Source,
  SourceError,
  type SourceProblem,
  SourceUnreachable,
  type Subschema,
  type Surroundings,
} from './source.ts';
export { openUpstreamHttp, UpstreamError, type UpstreamHttp } from './upstream-http.ts';
