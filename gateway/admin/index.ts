export { type InsightCommands, type MetadataApiOptions, metadataApi } from './metadata-api.ts';
