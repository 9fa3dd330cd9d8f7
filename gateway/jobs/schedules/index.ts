export { openCronTriggers } from './cron-triggers.ts';
export { openSchedules, type Schedules, type SchedulesOptions } from './schedules.ts';
