export { type RestEndpointsOptions, restEndpoints } from './endpoint.ts';
export { openPassThrough, type PassThrough } from './pass-through/index.ts';
export { type OpenApiDocuments, openApiDocuments, type SwaggerOptions, swagger } from './swagger.ts';
