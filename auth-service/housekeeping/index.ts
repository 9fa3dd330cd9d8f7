export { createClockCheck } from './clock-check.ts';
export { endedSessionSweeps } from './ended-sessions.ts';
export { type Housekeeping, type HousekeepingCounts, openHousekeeping } from './housekeeping.ts';
export type { Sweep } from './sweep.ts';
