export { type OpenedRemote, recordedComposition } from './opened-remote.ts';
export { type PromisedSchema, promisedSchema } from './promised-schema.ts';
export { type RemoteSchema, remoteSchema } from './remote-schema.ts';
