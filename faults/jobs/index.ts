export { jobsChaos, settledVerdict } from './chaos.ts';
export { type AcceptedJob, startJobCallers } from './job-callers.ts';
export { startJobsCluster } from './jobs-cluster.ts';
export { type Disturbances, disturb } from './killer.ts';
export { judgeJobs, type StoredJob } from './ledger.ts';
export type { WebhookCall } from './webhook.ts';
