import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildSchema, type GraphQLSchema, graphql } from 'graphql';
import { articles, products, rates } from './data.ts';
import { GRAPH_NAMES, joinedSdl, listsSdl, subgraphsOf, withoutLink } from './graph.ts';
import { heavyRoot } from './heavy.ts';

// The services behind every gateway, in one process. POST /a and /b are the subgraphs of the small graph, and POST
// /heavy/accounts and so on are those of the heavy ones. POST /lists is the service of which roles see a part. POST /stitched
// and /stock have further fields of the products of /a. POST /action is an action's webhook, POST /stock-action one that is
// called for many products, and POST /wide responds with any fields. GET /count returns the number of requests since its last call.
//
// graphql-js computes a response when a query arrives for the first time. From then on the response is constant bytes, so that
// the benchmark measures the gateway.

const FEDERATION_SDL = /* GraphQL */ `
  scalar _Any
  type _Service { sdl: String! }
`;
const ENTITY_FIELDS = '_service: _Service! _entities(representations: [_Any!]!): [_Entity]!';
const ACTION_ANSWER = Buffer.from(JSON.stringify({ id: '1', status: 'placed' }));
const STOCK_ANSWER = Buffer.from(JSON.stringify(products.map(({ price, inStock }) => ({ data: { price, inStock } }))));
const MAX_CACHED_ANSWERS = 2_000;
const MAX_CACHED_BYTES = 200_000_000;

const cachedAnswers = new Map<string, Buffer>();
const services = new Map<string | undefined, Service>([
  ...GRAPH_NAMES.flatMap((graph) => {
    const heavy = heavyRoot(graph);
    return subgraphsOf(graph).map(({ path, sdl }) => [path, serviceOf(sdl, heavy)] as const);
  }),
  ['/lists', serviceOf(listsSdl())],
  ['/stitched', serviceOf(`directive @merge(keyField: String) on FIELD_DEFINITION\n${joinedSdl('stitched')}`)],
  ['/stock', serviceOf(`${joinedSdl('stock')}\ntype Product { id: ID! }`)],
]);
let cachedBytes = 0;
let requestCount = 0;

createServer((request, response) => {
  if (request.url === '/count') {
    sendBody(response, Buffer.from(String(requestCount)));
    requestCount = 0;
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requestCount++;
    respondTo(request, response, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  });
}).listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 60_000;

function respondTo({ url }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (url === '/action') {
    sendBody(response, ACTION_ANSWER);
    return;
  }
  if (url === '/stock-action') {
    sendBody(response, STOCK_ANSWER);
    return;
  }
  const text = body.toString();
  const service = services.get(url);
  // In the small graph, a variable that differs each time does not change the response. Requests of the heavy graphs are
  // repeated unchanged, and the same query for other objects has another response.
  const operation = service?.hasHeavyObjects ? undefined : parseOperation(text);
  const key = operation
    ? `${url} ${operation.variables?.representations?.length ?? ''} ${operation.query}`
    : url + text;
  const known = cachedAnswers.get(key);
  if (known) {
    sendBody(response, known);
    return;
  }
  const { query, variables } = operation ?? parseOperation(text);
  const working = service ? graphqlAnswer(service, { query, variables }) : wideAnswer(query);
  working.then((bytes) => {
    if (cachedAnswers.size >= MAX_CACHED_ANSWERS || cachedBytes >= MAX_CACHED_BYTES) {
      cachedAnswers.clear();
      cachedBytes = 0;
    }
    cachedAnswers.set(key, bytes);
    cachedBytes += bytes.length;
    sendBody(response, bytes);
  });
}

interface Operation {
  readonly query: string;
  readonly variables: { readonly representations?: readonly { readonly id: string }[] } | undefined;
}

function parseOperation(text: string): Operation {
  return JSON.parse(text);
}

interface Service {
  readonly sdl: string;
  readonly schema: GraphQLSchema;
  readonly rootValue: object;
  readonly hasHeavyObjects: boolean;
}

function serviceOf(sdl: string, heavy?: object): Service {
  return { sdl, schema: schemaOf(sdl), rootValue: heavy ?? smallRoot(), hasHeavyObjects: heavy !== undefined };
}

function smallRoot(): object {
  const items = products.map(({ id, name }) => ({ id, name, state: 'OPEN' }));
  const productOf = ({ id }: { readonly id: string }) => products.find((product) => product.id === id) ?? null;
  return {
    items,
    itemsOfTenant: items,
    itemsOfKind: items,
    hello: 'world',
    products,
    articles: ({ first }: { first: number }) => articles(first),
    renameProduct: products[0],
    rates,
    _entities: ({ representations }: { representations: readonly { id: string }[] }) => representations.map(productOf),
    _products: ({ ids }: { ids: readonly string[] }) => ids.map((id) => productOf({ id })),
    stock: productOf,
  };
}

async function graphqlAnswer({ schema, sdl, rootValue }: Service, { query, variables }: Operation): Promise<Buffer> {
  const result = await graphql({
    schema,
    source: query,
    rootValue: { ...rootValue, _service: { sdl } },
    ...(variables ? { variableValues: variables } : {}),
  });
  return Buffer.from(JSON.stringify(result));
}

/** For schemas of any size: each root field named `f<number>` has its own name as its value. */
async function wideAnswer(query: string): Promise<Buffer> {
  const fields = query.match(/\bf\d+\b/g) ?? [];
  return Buffer.from(JSON.stringify({ data: Object.fromEntries(fields.map((field) => [field, field])) }));
}

function schemaOf(sdl: string): GraphQLSchema {
  const own = withoutLink(sdl);
  const entities = [...own.matchAll(/^type (\w+) @key/gm)].map(([, name]) => name);
  const union = entities.length > 0 ? `union _Entity = ${entities.join(' | ')}` : 'scalar _Entity';
  const query = /^type Query\b/m.test(own) ? 'extend type Query' : 'type Query';
  return buildSchema(`${own} ${FEDERATION_SDL} ${union} ${query} { ${ENTITY_FIELDS} }`, { assumeValid: true });
}

function sendBody(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
