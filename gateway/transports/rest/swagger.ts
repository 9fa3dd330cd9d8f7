import type { Authenticator } from '../../access/session/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { introspectionDisabled, toLoggedError } from '../../errors.ts';
import type { Generation, LiveGraph, RoleGraph } from '../../graph/index.ts';
import { createPage, type HttpExchange, requireGet, sendCompressible, sendFlatError } from '../http/index.ts';
import { type OpenApiDocument, openApiDocument } from './openapi/index.ts';
import { PAGE_FILES } from './page/index.ts';

export interface SwaggerOptions {
  readonly documents: OpenApiDocuments;
  readonly authenticator: Authenticator;
  /** The role of callers without a token. */
  readonly publicRole: string;
}

const SWAGGER_PATH = '/api/swagger';

/**
 * Serves `/api/swagger/json` with the OpenAPI document of the caller's role, `/api/swagger/public.json` with that of callers
 * without a token, and `/api/swagger` with a page that shows them. The page is the same for all callers.
 */
export function swagger({
  documents,
  authenticator,
  publicRole,
}: SwaggerOptions): (exchange: HttpExchange) => Promise<void> {
  const sendPageFile = createPage({ files: PAGE_FILES, hasScripts: true });
  return async (exchange) => {
    try {
      if (exchange.path === `${SWAGGER_PATH}/json`) {
        const { role } = await authenticator.authenticate(
          exchange.request.headers,
          exchange.clientAddress,
          undefined,
          exchange.span,
        );
        requireGet(exchange);
        sendCompressible(exchange, 200, documents(role));
      } else if (exchange.path === `${SWAGGER_PATH}/public.json`) {
        requireGet(exchange);
        sendCompressible(exchange, 200, documents(publicRole));
      } else if (exchange.path === `${SWAGGER_PATH}/`) {
        exchange.response.writeHead(308, { location: '../swagger' }).end();
      } else {
        sendPageFile(exchange, exchange.path.slice(SWAGGER_PATH.length + 1));
      }
    } catch (thrown) {
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    }
  };
}

/** Returns the document of a role. @throws GatewayError if the role may not introspect, or has no valid graph. */
export type OpenApiDocuments = (role: string) => OpenApiDocument;

/** Each document is created once for each graph of a generation, so roles with the same graph share it. */
export function openApiDocuments(graph: LiveGraph): OpenApiDocuments {
  const generations = new WeakMap<Generation, WeakMap<RoleGraph, Map<boolean, OpenApiDocument>>>();
  return (role) => {
    const { current } = graph;
    const { restEndpoints: endpoints, introspectionDisabledFor } = current.metadata;
    if (introspectionDisabledFor.has(role)) throw introspectionDisabled(role);
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
