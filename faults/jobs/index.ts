export { jobsChaos, settledVerdict } from './chaos.ts';
export { type AcceptedEvent, startEventProducers } from './event-producers.ts';
export { type AcceptedJob, startJobCallers } from './job-callers.ts';
export { startJobsCluster } from './jobs-cluster.ts';
export { jobsSoak, type TableSample, tableGrowth } from './jobs-soak.ts';
export { type Disturbances, disturb } from './killer.ts';
export { judgeJobs, type StoredJob } from './ledger.ts';
export type { WebhookCall } from './webhook.ts';
