export { JobsDatabase, type JobsDatabaseOptions, withDeadline } from './database.ts';
export { isLockTimeout, isOfValues, JobsDatabaseUnusable } from './errors.ts';
