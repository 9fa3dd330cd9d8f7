import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buildSchema, graphql } from 'graphql';
import { articles, products, rates } from './data.ts';
import { federationSdl, joinedSdl, listsSdl } from './graph.ts';

// The services behind every gateway, one process: POST /a and /b are the subgraphs, POST /lists is the
// service of which roles see a part, POST /stitched and /stock have more of the products of /a,
// POST /action is an action's webhook,
// POST /wide responds with any fields. GET /count returns the number of requests since it was last called.
// An answer is worked out by graphql-js when a query comes for the first time and is fixed bytes from then on, so that
// the gateway is what is measured.

const FEDERATION_SDL = /* GraphQL */ `
  directive @key(fields: String!) repeatable on OBJECT
  scalar _Any
  union _Entity = Product
  type _Service { sdl: String! }
  extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }
`;
const ACTION_ANSWER = Buffer.from(JSON.stringify({ id: '1', status: 'placed' }));
const MAX_CACHED_ANSWERS = 2_000;

const cachedAnswers = new Map<string, Buffer>();
const schemas = {
  a: schemaOf(federationSdl('a')),
  b: schemaOf(federationSdl('b')),
  lists: schemaOf(`${listsSdl()} type Product { id: ID! }`),
  stitched: schemaOf(`directive @merge(keyField: String) on FIELD_DEFINITION ${joinedSdl('stitched')}`),
  stock: schemaOf(`${joinedSdl('stock')} type Product { id: ID! }`),
};
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
  const { query, variables } = JSON.parse(body.toString()) as Operation;
  const key = `${url} ${variables?.representations?.length ?? ''} ${query}`;
  const known = cachedAnswers.get(key);
  if (known) {
    sendBody(response, known);
    return;
  }
  const working = url === '/wide' ? wideAnswer(query) : graphqlAnswer(schemaNameAt(url), { query, variables });
  working.then((bytes) => {
    if (cachedAnswers.size >= MAX_CACHED_ANSWERS) cachedAnswers.clear();
    cachedAnswers.set(key, bytes);
    sendBody(response, bytes);
  });
}

interface Operation {
  readonly query: string;
  readonly variables: { readonly representations?: readonly { readonly id: string }[] } | undefined;
}

function schemaNameAt(url: string | undefined): keyof typeof schemas {
  const name = url?.slice(1) ?? '';
  return Object.hasOwn(schemas, name) ? (name as keyof typeof schemas) : 'a';
}

async function graphqlAnswer(name: keyof typeof schemas, { query, variables }: Operation): Promise<Buffer> {
  const items = products.map(({ id, name }) => ({ id, name, state: 'OPEN' }));
  const productOf = ({ id }: { readonly id: string }) => products.find((product) => product.id === id) ?? null;
  const rootValue = {
    items,
    itemsOfTenant: items,
    itemsOfKind: items,
    hello: 'world',
    products,
    articles: ({ first }: { first: number }) => articles(first),
    renameProduct: products[0],
    rates,
    _service: () => ({ sdl: name === 'a' || name === 'b' ? federationSdl(name) : listsSdl() }),
    _entities: ({ representations }: { representations: readonly { id: string }[] }) => representations.map(productOf),
    _products: ({ ids }: { ids: readonly string[] }) => ids.map((id) => productOf({ id })),
    stock: productOf,
  };
  const result = await graphql({
    schema: schemas[name],
    source: query,
    rootValue,
    ...(variables ? { variableValues: variables } : {}),
  });
  return Buffer.from(JSON.stringify(result));
}

/** For schemas of any size: each root field named `f<number>` is answered with its own name. */
async function wideAnswer(query: string): Promise<Buffer> {
  const fields = query.match(/\bf\d+\b/g) ?? [];
  return Buffer.from(JSON.stringify({ data: Object.fromEntries(fields.map((field) => [field, field])) }));
}

function schemaOf(sdl: string) {
  return buildSchema(sdl.replace(/^extend schema.*\n/, '') + FEDERATION_SDL, { assumeValid: true });
}

function sendBody(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
