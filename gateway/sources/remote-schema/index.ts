export { eventsTarget } from './events-target.ts';
export { mapErrors } from './incremental-payloads.ts';
export { compileRemoteSubscription } from './remote-events.ts';
export { remoteOperations } from './remote-operations.ts';
export { type RemoteTarget, remoteRequest, remoteTarget } from './remote-request.ts';
export { REMOTE_SCHEMA_ERROR, takeCookies, takeHttpHints, withoutTraces } from './remote-response.ts';
export { eventSharing } from './shared-events.ts';
export { gatewayAssertion } from './upstream-headers.ts';
