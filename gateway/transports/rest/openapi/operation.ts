import type { GraphQLSchema } from 'graphql';
import type { RestEndpoint, RestMethod } from '../../../metadata/index.ts';
import { isParameter } from '../routes.ts';
import { otherResponses } from './shared-components.ts';
import type { TypeSchemas } from './type-schemas.ts';
import { describeVariables } from './variables.ts';

/** An endpoint with everything that its description needs. */
export interface DescribedEndpoint {
  readonly endpoint: RestEndpoint;
  /** Unique in the document. */
  readonly id: string;
  /** The graph that the endpoint's operation runs on. */
  readonly schema: GraphQLSchema;
  /** The credentials that the endpoint needs. */
  readonly needs: 'nothing' | 'public' | 'session';
  /** Why the endpoint cannot run. Undefined if it can. */
  readonly problem: string | undefined;
  /** The names of the path's parameters in the document, in their order. */
  readonly labels: readonly string[];
  /** A reference to the schema of the response. */
  readonly answer: Readonly<Record<string, unknown>>;
}

const BODY_METHODS: ReadonlySet<RestMethod> = new Set(['POST', 'PUT', 'PATCH']);

/** Returns the names of the parameters in an endpoint's path, in their order. */
export function pathParameters({ metadata }: RestEndpoint): readonly string[] {
  return metadata.url.split('/').flatMap((segment) => (isParameter(segment) ? [segment.slice(1)] : []));
}

/**
 * Describes the parameters and responses of an endpoint for one method. Variables that are not in the path are in the body if
 * the method has one, otherwise in the query string.
 */
export function describeOperation(described: DescribedEndpoint, method: RestMethod, types: TypeSchemas) {
  const { endpoint, id, labels, answer } = described;
  const { name, methods, url } = endpoint.metadata;
  const variables = describeVariables(endpoint.operation, described.schema, types);
  const inPath = pathParameters(endpoint);
  const others = variables.names.filter((variable) => !inPath.includes(variable));
  const takesBody = BODY_METHODS.has(method);
  const parameters = [
    ...inPath.map((variable, index) => variables.parameter(variable, 'path', labels[index])),
    ...(takesBody ? [] : others.map((variable) => variables.parameter(variable, 'query'))),
  ];
  const body = takesBody && others.length > 0 ? variables.body(others) : undefined;
  const ok = {
    description: `Responses for ${method} /api/rest/${url}`,
    content: { 'application/json': { schema: answer } },
  };
  return {
    operationId: methods.length === 1 ? id : `${id}.${method.toLowerCase()}`,
    summary: name,
    description: operationDescription(described),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.required, content: { 'application/json': { schema: body.schema } } },
    }),
    responses: { 200: ok, ...otherResponses(described.needs !== 'nothing', answer) },
    security: SECURITY[described.needs],
  };
}

/** The empty requirement allows callers without a token (OpenAPI 3.1, security requirement object). */
const SECURITY = { nothing: [], public: [{}, { bearer: [] }], session: [{ bearer: [] }] } as const;

function operationDescription({ endpoint, problem }: DescribedEndpoint): string {
  const { comment } = endpoint.metadata;
  return [
    ...(comment ? [comment] : []),
    ...(problem === undefined ? [] : [`**This endpoint is not available**: ${problem}`]),
    `***\nThe GraphQL query for this endpoint is:\n\`\`\`graphql\n${endpoint.query.trim()}\n\`\`\``,
  ].join('\n\n');
}
