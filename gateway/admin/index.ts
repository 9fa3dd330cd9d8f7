export { type MetadataApiOptions, metadataApi } from './metadata-api.ts';
