export { acceptedParts, acceptsEvents, negotiate, type ResponseType } from './accept.ts';
export { type Arrival, describeArrival, type Exchange, openExchange } from './exchange.ts';
export { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts';
export { answerOfOnePart, type Flow, MultipartResponse } from './multipart-response.ts';
export { readJson, receiveJson } from './read-json.ts';
export { refuseUpgrade } from './refuse-upgrade.ts';
export { openEndings, type ResponseHeaders, sendFlatError, sendJson, setOwnHeaders } from './respond.ts';
