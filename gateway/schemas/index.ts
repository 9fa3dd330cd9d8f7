export { buildSchema } from './build-schema.ts';
export { type JoinedPart, joinSchemas } from './join-schemas.ts';
