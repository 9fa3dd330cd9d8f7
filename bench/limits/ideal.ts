import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { buildSchema, parse, validate } from 'graphql';
import { dispatcherTo, sendResponse } from './dispatch.ts';
import { joinAsObjects, joinAsTexts } from './heavy-join.ts';

// The minimum work of a GraphQL gateway on Node.js, written by hand for each row. The request is parsed. Its document is parsed
// and validated once, and then recognized by its text. Requests to services are prepared texts with the client's variables. A
// single service's response is passed on unparsed, and several are joined by hand. There are no sessions, limits or logs.
const callService = dispatcherTo(process.env.UPSTREAM ?? '');
const callHeavyService: typeof callService = (name, body, done) =>
  callService(`/${process.env.GRAPH}/${name}`, body, done);
const schema = buildSchema(readFileSync(process.env.SCHEMA_FILE ?? '', 'utf8'));
const documents = new Map<string, string>();

const HELLO_TEXT = JSON.stringify('query ($name: String) { hello(name: $name) }');
const HELLO_QUERY = JSON.stringify({ query: '{ hello }' });
const RATES_QUERY = JSON.stringify({ query: '{ rates { currency value } }' });
const PRODUCTS_QUERY = JSON.stringify({ query: '{ products { __typename id name } }' });
const ENTITIES = JSON.stringify(
  'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Product { price inStock } } }',
);

const NAMES_QUERY = JSON.stringify({ query: '{ products { id name } }' });
const LOOKUP = JSON.stringify('query ($ids: [ID!]!) { _products(ids: $ids) { price inStock } }');

interface GraphqlBody {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

interface NamedProduct {
  readonly id: string;
  readonly name: string;
}

interface FirstServiceProduct extends NamedProduct {
  readonly __typename: string;
}

interface Entity {
  readonly price: number;
  readonly inStock: boolean;
}

const handlers: Readonly<Record<string, (request: GraphqlBody, text: string, response: ServerResponse) => void>> = {
  '/forward': ({ variables }, text, response) => {
    const body = `{"query":${text}${variables ? `,"variables":${JSON.stringify(variables)}` : ''}}`;
    callService('/a', body, (answer) => sendResponse(response, answer));
  },
  '/split': (_request, _text, response) => {
    let first: Buffer | undefined;
    let second: Buffer | undefined;
    const put = () => {
      if (first && second) sendResponse(response, `{"data":{${dataMembers(first)},${dataMembers(second)}}}`);
    };
    callService('/a', HELLO_QUERY, (answer) => {
      first = answer;
      put();
    });
    callService('/b', RATES_QUERY, (answer) => {
      second = answer;
      put();
    });
  },
  '/join': (_request, _text, response) => {
    callService('/a', PRODUCTS_QUERY, (answer) => {
      const { products }: { products: FirstServiceProduct[] } = JSON.parse(String(answer)).data;
      const keys = products.map(({ __typename, id }) => ({ __typename, id }));
      const body = `{"query":${ENTITIES},"variables":{"representations":${JSON.stringify(keys)}}}`;
      callService('/b', body, (joined) => {
        const entities: Entity[] = JSON.parse(String(joined)).data._entities;
        const whole = products.map(({ id, name }, index) => {
          const entity = entities[index];
          return { id, name, price: entity?.price ?? null, inStock: entity?.inStock ?? null };
        });
        sendResponse(response, JSON.stringify({ data: { products: whole } }));
      });
    });
  },
  '/stitched': (_request, _text, response) => {
    callService('/a', NAMES_QUERY, (answer) => {
      const { products }: { products: NamedProduct[] } = JSON.parse(String(answer)).data;
      const ids = products.map(({ id }) => id);
      callService('/stitched', `{"query":${LOOKUP},"variables":{"ids":${JSON.stringify(ids)}}}`, (joined) => {
        const found: Entity[] = JSON.parse(String(joined)).data._products;
        const whole = products.map(({ id, name }, index) => {
          const entity = found[index];
          return { id, name, price: entity?.price ?? null, inStock: entity?.inStock ?? null };
        });
        sendResponse(response, JSON.stringify({ data: { products: whole } }));
      });
    });
  },
  '/relationship': (_request, _text, response) => {
    callService('/a', NAMES_QUERY, (answer) => {
      const { products }: { products: NamedProduct[] } = JSON.parse(String(answer)).data;
      const ids = Object.fromEntries(products.map(({ id }, index) => [`i${index}`, id]));
      const body = `{"query":${stockQuery(products.length)},"variables":${JSON.stringify(ids)}}`;
      callService('/stock', body, (joined) => {
        const found: Record<string, Entity | null> = JSON.parse(String(joined)).data;
        const whole = products.map(({ id, name }, index) => ({ id, name, stock: found[`f${index}`] ?? null }));
        sendResponse(response, JSON.stringify({ data: { products: whole } }));
      });
    });
  },
  // Both send the same requests to the services. They differ in how the response is written.
  '/heavy/texts': (_request, _text, response) => joinAsTexts(callHeavyService, (body) => sendResponse(response, body)),
  '/heavy/objects': (_request, _text, response) =>
    joinAsObjects(callHeavyService, (body) => sendResponse(response, body)),
  '/action': ({ variables }, _text, response) => {
    const body = JSON.stringify({ action: { name: 'placeOrder' }, input: variables, session_variables: {} });
    callService('/action', body, (answer) => {
      const { id, status } = JSON.parse(String(answer));
      sendResponse(response, JSON.stringify({ data: { placeOrder: { id, status } } }));
    });
  },
};

const stockQueries = new Map<number, string>();

/** Returns a query with a field for each of `count` objects, as a JSON string. */
function stockQuery(count: number): string {
  let text = stockQueries.get(count);
  if (text === undefined) {
    const indexes = Array.from({ length: count }, (_, index) => index);
    const declared = indexes.map((index) => `$i${index}: ID!`).join(', ');
    const fields = indexes.map((index) => `f${index}: stock(id: $i${index}) { price inStock }`).join(' ');
    text = JSON.stringify(`query (${declared}) { ${fields} }`);
    stockQueries.set(count, text);
  }
  return text;
}

createServer((request, response) => {
  const path = request.url ?? '';
  if (request.method === 'GET') {
    rest(path, response);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parsed: GraphqlBody = JSON.parse(Buffer.concat(chunks).toString());
    handlers[path]?.(parsed, knownText(parsed.query), response);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

/** Handles `GET /api/rest/hello/<name>`: a saved operation with a variable from the path. */
function rest(path: string, response: ServerResponse): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  callService('/a', `{"query":${HELLO_TEXT},"variables":{"name":${JSON.stringify(name)}}}`, (answer) =>
    sendResponse(response, answer && `{${dataMembers(answer)}}`),
  );
}

/** Returns the query as a JSON string, which is validated once. */
function knownText(query: string): string {
  let text = documents.get(query);
  if (text === undefined) {
    const [problem] = validate(schema, parse(query));
    if (problem) throw problem;
    text = JSON.stringify(query);
    documents.set(query, text);
  }
  return text;
}

/** Returns the text within the braces of `data` in a response `{"data":{…}}`. */
function dataMembers(answer: Buffer): string {
  return answer.toString('utf8', '{"data":{'.length, answer.length - '}}'.length);
}
