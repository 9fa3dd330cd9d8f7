export { CronSchedule } from './cron-schedule.ts';
export { CronSyntaxError } from './errors.ts';
