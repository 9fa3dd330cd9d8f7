export { negotiate, type ResponseType } from './accept.ts';
export { type Arrival, describeArrival, type Exchange, openExchange } from './exchange.ts';
export { ignoreUpgrade, wantsWebSocket } from './ignore-upgrade.ts';
export { readJson } from './read-json.ts';
export { sendFlatError, sendJson } from './respond.ts';
