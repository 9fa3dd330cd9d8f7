export { JobsDatabase, type JobsDatabaseOptions, withDeadline } from './database.ts';
export { failureOf, isLockTimeout, JobsDatabaseUnusable } from './errors.ts';
