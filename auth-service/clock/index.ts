export { type DatabaseClock, openDatabaseClock } from './database-clock.ts';
export { repeat } from './repeat.ts';
