export { Availability, UNAVAILABLE_RETRY_SECONDS } from './availability.ts';
export { CallCounts, type CallOutcome, DURATION_BOUNDS_MS, outcomeOf } from './call-counts.ts';
export { UpstreamError, type UpstreamFailure } from './errors.ts';
export { EventStreamReader } from './event-stream-reader.ts';
export {
  MAX_INFORMATIONAL_RESPONSES,
  type UpstreamFlow,
  type UpstreamHandler,
  type UpstreamResponse,
  type UpstreamSink,
} from './exchange.ts';
export {
  type CallExplanation,
  type CallRecorder,
  openUpstreamHttp,
  sender,
  type TracedHeaders,
  type UpstreamConnections,
  type UpstreamHttp,
  type UpstreamRequest,
} from './http-client.ts';
export { recordCalls, unavailable } from './interceptors/index.ts';
export { JsonLinesReader } from './json-lines-reader.ts';
export { boundaryOf, MultipartReader } from './multipart-reader.ts';
export { PassthroughBody } from './passthrough-body.ts';
export {
  askedWaitMs,
  type BreakerSettings,
  Bulkhead,
  type ConcurrencySettings,
  DEDUPLICATION,
  DEFAULT_RESILIENCE,
  type Deduplication,
  LinkedList,
  ListNode,
  type ResilienceSettings,
  Waiter,
} from './resilience/index.ts';
export { ResilientClient, type SourceState, type StreamPermit } from './resilient-client.ts';
export {
  openResponseStream,
  type StreamConnection,
  type StreamReader,
  type StreamReceiver,
  type StreamRequest,
  type StreamResponse,
} from './response-stream.ts';
export type { UnfinishedEvent } from './unfinished-events.ts';
export { joinHeaderLists, type RequestHeaders, withHeaders } from './with-headers.ts';
