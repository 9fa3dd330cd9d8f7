export { type GraphqlEndpointOptions, graphqlEndpoint, refuseGraphqlRequest } from './endpoint.ts';
export { readOperationRequest } from './incoming.ts';
