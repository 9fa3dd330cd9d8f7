export { type ProgressEndpoint, type ProgressEndpointOptions, progressEndpoint } from './progress-endpoint.ts';
