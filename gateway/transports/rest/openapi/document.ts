import { createHash } from 'node:crypto';
import { validate } from 'graphql';
import type { Generation, RoleGraph } from '../../../graph/index.ts';
import type { RestEndpoint } from '../../../metadata/index.ts';
import { needsOfEndpoint } from '../endpoint-access.ts';
import { isParameter } from '../routes.ts';
import { answerSchema } from './answer-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { describeOperation, pathParameters } from './operation.ts';
import { SHARED } from './shared-components.ts';
import { createTypeSchemas } from './type-schemas.ts';

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

export interface OpenApiOptions {
  readonly endpoints: readonly RestEndpoint[];
  /** The graph of the role that the document is for. */
  readonly graph: RoleGraph;
  /** The generation that contains `graph`. */
  readonly generation: Generation;
  /** Whether to include endpoints that cannot run now, with the reason. Only an admin sees these. */
  readonly withUnusable: boolean;
}

/** A path of the document, with the names of its parameters. */
interface DescribedPath {
  readonly template: string;
  readonly labels: readonly string[];
  readonly operations: Record<string, unknown>;
}

/** Describes the REST endpoints that a role may use, with their responses for this role. */
export function openApiDocument({ endpoints, graph, generation, withUnusable }: OpenApiOptions): OpenApiDocument {
  const types = createTypeSchemas();
  const answers: Record<string, JsonSchema> = {};
  const paths = new Map<string, DescribedPath>();
  for (const endpoint of endpoints) {
    const needs = needsOfEndpoint(endpoint, generation);
    // An endpoint that verifies no token responds to every caller as to one without a token.
    const { schema, accepted } = needs === 'nothing' ? (generation.publicGraph ?? graph) : graph;
    const problem = validate(accepted, endpoint.document)[0]?.message;
    if (problem !== undefined && !withUnusable) continue;

    const id = unusedId(endpoint.metadata.name, answers);
    answers[answerName(id)] = problem === undefined ? answerSchema({ ...endpoint, schema }, types) : {};
    const path = pathOf(endpoint, paths);
    const described = {
      endpoint,
      id,
      schema,
      needs,
      problem,
      labels: path.labels,
      answer: { $ref: `#/components/schemas/${answerName(id)}` },
    };
    for (const method of endpoint.metadata.methods)
      path.operations[method.toLowerCase()] = describeOperation(described, method, types);
  }

  const content = {
    paths: Object.fromEntries([...paths.values()].map(({ template, operations }) => [template, operations])),
    components: { ...SHARED, schemas: { ...types.components, ...answers, ...SHARED.schemas } },
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rest Endpoints',
      version: createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12),
      description: 'The REST endpoints available to the role of the caller, generated from their GraphQL operations.',
    },
    servers: [{ url: '/', description: 'The server that provides this document.' }],
    ...content,
  };
}

function answerName(id: string): string {
  return `${id}.answer`;
}

/** Returns a unique name that code generators accept. */
function unusedId(name: string, answers: Readonly<Record<string, unknown>>): string {
  const plain = name.replace(/\W+/g, '_');
  let id = plain;
  for (let count = 2; Object.hasOwn(answers, answerName(id)); count++) id = `${plain}_${count}`;
  return id;
}

/**
 * Returns the path of an endpoint. In OpenAPI, paths that differ only in the names of their parameters are one path, which uses
 * the first names.
 */
function pathOf(endpoint: RestEndpoint, paths: Map<string, DescribedPath>): DescribedPath {
  const segments = endpoint.metadata.url.split('/');
  const written = (parameter: (segment: string) => string) =>
    ['/api/rest', ...segments.map((one) => (isParameter(one) ? parameter(one) : encodeURIComponent(one)))].join('/');
  const shape = written(() => '{}');
  const path = paths.get(shape) ?? {
    template: written((segment) => `{${segment.slice(1)}}`),
    labels: pathParameters(endpoint),
    operations: {},
  };
  paths.set(shape, path);
  return path;
}
