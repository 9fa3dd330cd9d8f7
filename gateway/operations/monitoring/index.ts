export { type AccessLog, createAccessLog } from './access-log.ts';
export { health, type ProcessState, readiness } from './health.ts';
export { type RequestSpans, requestSpans } from './request-spans.ts';
export { type SocketSpans, socketSpans } from './socket-spans.ts';
