export { dataIn, dataMembers, resultIn, writtenJson } from './data-bytes.ts';
export type { RejectedRequest } from './errors.ts';
export {
  executionErrors,
  flatRefusal,
  forbiddenRequest,
  invalidRequest,
  operationUnavailable,
  type PublicError,
  refusedRequest,
  SubscriptionEnded,
  timeLimitExceeded,
  unforeseenError,
} from './errors.ts';
export { takeEnvelope, withEnvelopeFields } from './login-envelope.ts';
