export { createErrorHandler, notFound, onlyJson, onlyMethods } from './http-errors.ts';
export type { LogEvent } from './log-events.ts';
export { logFailure } from './log-failure.ts';
export {
  type CheckOperatorAssertion,
  createOperatorAssertions,
  type OperatorAssertions,
} from './operator-assertion.ts';
export { createReadiness, type Readiness } from './readiness.ts';
export { createRefreshDeliveries, type RefreshDeliveries } from './refresh-deliveries.ts';
export { countRequests } from './request-counts.ts';
export { createRequestLog } from './request-log.ts';
export { createRequestOriginOf } from './request-origin.ts';
export { createRequestSpans, type RequestSpans } from './request-spans.ts';
export { requireSecret } from './require-secret.ts';
export { requireSingleHeaders } from './single-headers.ts';
export { createUnfinishedRequests, type UnfinishedRequests } from './unfinished-requests.ts';
