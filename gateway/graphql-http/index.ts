export { type GraphqlEndpointOptions, graphqlEndpoint } from './endpoint.ts';
export { readOperationRequest } from './incoming.ts';
export { executeIncrementally } from './incremental.ts';
