export { type JobsFigures, measureQueues } from './measure-jobs.ts';
export { JOB_CONCURRENCY } from './queue-system.ts';
