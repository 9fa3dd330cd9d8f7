export { JobsDatabase, type JobsDatabaseOptions, withDeadline } from './database.ts';
export { isLocked, isOfValues, JobsDatabaseUnusable } from './errors.ts';
