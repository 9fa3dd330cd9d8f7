export {
  type AcceptedParts,
  acceptedEvents,
  acceptedParts,
  acceptedPartsOfEvents,
  type EventStreamType,
  negotiate,
  type ResponseType,
  refuseLongAccept,
} from './accept.ts';
export { headerText, sentClientName, sentClientVersion } from './client-name.ts';
export { Compressor } from './compressor.ts';
export { acceptedCodings } from './content-coding.ts';
export { type Cors, createCors, trustedOrigins } from './cors.ts';
export { invalidJson, jsonTooDeep } from './errors.ts';
export { handshakeProblem } from './handshake.ts';
export {
  describeUpgrade,
  type HttpExchange,
  type IncomingRequest,
  openExchange,
  type UpgradeRequest,
} from './http-exchange.ts';
export { dropIgnoredUpgrade, ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts';
export { isNestedTooDeep, MAX_JSON_DEPTH, parseShallowJson } from './json-depth.ts';
export { LiveConnections, type Slot, takenSlot } from './live-connections.ts';
export { messageProblem } from './message-problem.ts';
export { answerOfOnePart, type Flow, MultipartResponse } from './multipart-response.ts';
export type { OperationSpan, OperationSpans } from './operation-spans.ts';
export {
  contentSecurityPolicy,
  createPage,
  PAGE_HEADERS,
  type PageFile,
  type PagePolicy,
  readPageFile,
  requireGet,
  sharedPageFile,
} from './page.ts';
export { receiveBody, refuseCompressed } from './read-body.ts';
export { isUtf8Type, readJson, receiveJson } from './read-json.ts';
export type { RequestContext } from './request-context.ts';
export {
  type OperationEvent,
  type OperationLog,
  type RecordedCaller,
  type RecordedOperation,
  RequestRecord,
} from './request-record.ts';
export {
  bodyChunks,
  type ResponseHeaders,
  sendCompressible,
  sendFlatError,
  sendJson,
  setOwnHeaders,
} from './respond.ts';
export { openResponseBatcher } from './response-batcher.ts';
export { isBusy, refuseUpgrade } from './upgrades.ts';
