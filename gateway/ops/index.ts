export { logAccess } from './access-log.ts';
export { type Cors, createCors, trustedOrigins } from './cors.ts';
export { health, readiness } from './health.ts';
