import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph, linked, type TestSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
let stars: TestSubgraph;
let gateway: EditedGateway;

beforeAll(async () => {
  stars = await keep(
    apolloSubgraph(
      linked(`type Query { star(id: ID!): Star kinds: [Kind] }
        scalar Big
        type Star @key(fields: "id") { id: ID! age: Big weight: Float name: String }
        enum Kind { RED SECRET @inaccessible }`),
    ),
  );
  const maps = await keep(
    apolloSubgraph(linked('type Star @key(fields: "id") { id: ID! place: String } type Query { maps: Int }'), {
      Star: { place: () => 'far' },
    }),
  );
  const files = { 'remote_schemas.yaml': [federated('stars', stars), federated('maps', maps)] };
  gateway = await keep(openEditedGateway(files, { issuer }));
});

function answers(text: string): void {
  stars.instead = (_received, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
}

async function asked(query: string, variables: Record<string, unknown> = {}): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return response.text();
}

test('a response of a single subgraph is relayed byte by byte, with integers of any size', async () => {
  const text = '{"data":{"star":{"years":12345678901234567890,"weight":1.0,"id":"1"}}}';
  answers(text);
  stars.forget();
  const query = 'query Star($id: ID!) { star(id: $id) { years: age ...Rest } } fragment Rest on Star { weight id }';
  expect(await asked(query, { id: '1' })).toBe(text);
  expect(stars.asked()).toMatchObject([{ variables: { id: '1' } }]);
  expect(stars.asked()[0]?.query).toBe('query Star($id:ID!){star(id:$id){years:age weight id}}');
});

test('an object of which nothing is selected is empty all the same', async () => {
  answers('{"data":{"star":{"__typename":"Star"}}}');
  expect(await asked('{ star(id: "1") { weight @include(if: false) } }')).toBe('{"data":{"star":{}}}');
});

test('its errors are reported as in composed responses', async () => {
  answers('{"errors":[{"message":"too bright","path":["star","name"]}],"data":{"star":{"name":null}}}');
  expect(JSON.parse(await asked('{ star(id: "1") { name } }'))).toMatchObject({
    data: { star: { name: null } },
    errors: [{ message: 'too bright', path: ['star', 'name'], extensions: { service: 'stars' } }],
  });
  answers('nothing');
  expect(JSON.parse(await asked('{ star(id: "1") { name } }'))).toMatchObject({
    data: { star: null },
    errors: [{ path: ['star'] }],
  });
});

test('values that clients may not see are removed all the same', async () => {
  answers('{"data":{"kinds":["RED","SECRET"]}}');
  expect(await asked('{ kinds }')).toBe('{"data":{"kinds":["RED",null]}}');
});

test('an operation that needs a second subgraph is joined', async () => {
  answers('{"data":{"star":{"__typename":"Star","id":"1"}}}');
  expect(await asked('{ star(id: "1") { place } }')).toBe('{"data":{"star":{"place":"far"}}}');
});
