export { type DatabaseClock, openDatabaseClock } from './database-clock.ts';
export { repeat } from './repeat.ts';
export type { ServiceTime } from './service-time.ts';
