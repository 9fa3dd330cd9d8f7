export { OTHER } from './clients.ts';
export { usageOfCoordinates } from './is-used.ts';
export type { OperationUsage } from './operation-usage.ts';
export { type RecordedUsage, readUsage, UNKNOWN, type UsageRecord, type UsedOperation } from './read-usage.ts';
export { openUsage, type Usage, type UsageOptions, type UsageSettings } from './usage.ts';
export { dayOf } from './usage-file.ts';
