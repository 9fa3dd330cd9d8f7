export { type InsightCommands, type JobCommandRunner, type MetadataApiOptions, metadataApi } from './metadata-api.ts';
