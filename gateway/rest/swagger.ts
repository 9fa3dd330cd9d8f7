import { explained, GatewayError } from '../errors.ts';
import type { Generation, LiveGraph, RoleGraph } from '../graph/index.ts';
import { type Exchange, sendCompressible, sendFlatError } from '../http/index.ts';
import type { Authenticator } from '../session/index.ts';
import { ADMIN_ROLE } from '../sources/index.ts';
import { type OpenApiDocument, openApiDocument } from './openapi/index.ts';
import { PAGE_FILES, PAGE_HEADERS, type PageFile } from './page/index.ts';

export interface SwaggerOptions {
  readonly graph: LiveGraph;
  readonly authenticator: Authenticator;
  /** The role of callers without a token. */
  readonly publicRole: string;
}

const PAGE = '/api/swagger';

/**
 * Answers `/api/swagger/json` with the OpenAPI document of the caller's role, `/api/swagger/public.json` with that of
 * callers without a token, and `/api/swagger` with a page for people to read them in. The page is the same for everybody.
 */
export function swagger({ graph, authenticator, publicRole }: SwaggerOptions): (exchange: Exchange) => Promise<void> {
  const documents = documentCache(graph);
  return async (exchange) => {
    try {
      if (exchange.path === `${PAGE}/json`) {
        const { role } = await authenticator.authenticate(exchange.request.headers);
        requireGet(exchange);
        sendCompressible(exchange, 200, documents(role));
      } else if (exchange.path === `${PAGE}/public.json`) {
        requireGet(exchange);
        sendCompressible(exchange, 200, documents(publicRole));
      } else {
        sendPage(exchange);
      }
    } catch (thrown) {
      sendFlatError(exchange, explained(thrown, exchange));
    }
  };
}

/** The document of a role: made once a generation for each graph, so once for all roles that see the same. */
function documentCache(graph: LiveGraph): (role: string) => OpenApiDocument {
  const generations = new WeakMap<Generation, WeakMap<RoleGraph, Map<boolean, OpenApiDocument>>>();
  return (role) => {
    const { current } = graph;
    const { restEndpoints: endpoints, introspectionDisabledFor } = current.metadata;
    if (introspectionDisabledFor.has(role))
      throw new GatewayError('access-denied', `introspection is disabled for role: "${role}"`);
    const withUnusable = role === ADMIN_ROLE;
    const roleGraph = current.graphOf(role);
    const documents = generations.get(current) ?? new WeakMap<RoleGraph, Map<boolean, OpenApiDocument>>();
    generations.set(current, documents);
    const known = documents.get(roleGraph) ?? new Map<boolean, OpenApiDocument>();
    documents.set(roleGraph, known);
    const document =
      known.get(withUnusable) ?? openApiDocument({ endpoints, graph: roleGraph, generation: current, withUnusable });
    known.set(withUnusable, document);
    return document;
  };
}

function sendPage(exchange: Exchange): void {
  const { path, response } = exchange;
  if (path === `${PAGE}/`) {
    response.writeHead(308, { location: '../swagger' }).end();
    return;
  }
  const file = PAGE_FILES.get(path.slice(PAGE.length + 1));
  if (!file) throw new GatewayError('not-found', 'resource does not exist');
  requireGet(exchange);
  sendFile(exchange, file);
}

function sendFile({ response }: Exchange, { type, text }: PageFile): void {
  response.writeHead(200, {
    ...PAGE_HEADERS,
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function requireGet({ request }: Exchange): void {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new GatewayError('method-not-allowed', 'Allowed methods: GET, HEAD', { headers: { allow: 'GET, HEAD' } });
}
