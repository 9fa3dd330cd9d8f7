export {
  acceptedEvents,
  acceptedParts,
  type EventStreamType,
  negotiate,
  type ResponseType,
  refuseLongAccept,
} from './accept.ts';
export { isBusy } from './busy-connection.ts';
export { Compressor } from './compressor.ts';
export { type Arrival, describeArrival, type Exchange, openExchange } from './exchange.ts';
export { handshakeProblem } from './handshake.ts';
export { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts';
export { isNestedTooDeep, MAX_JSON_DEPTH, nestedTooDeep, parseShallowJson } from './json-depth.ts';
export { messageProblem } from './message-problem.ts';
export { answerOfOnePart, type Flow, MultipartResponse } from './multipart-response.ts';
export { refuseCompressed } from './read-body.ts';
export { readJson, receiveJson } from './read-json.ts';
export { refuseUpgrade } from './refuse-upgrade.ts';
export {
  type OperationEvent,
  type OperationLog,
  type RecordedCaller,
  type RecordedOperation,
  RequestRecord,
} from './request-record.ts';
export {
  openEndings,
  piecesOf,
  type ResponseHeaders,
  sendCompressible,
  sendFlatError,
  sendJson,
  setOwnHeaders,
} from './respond.ts';
