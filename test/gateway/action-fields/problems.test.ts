import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { buildSchema, graphqlSync } from 'graphql';
import { reportOf } from '../cli/run-check.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer, reply, serve } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { ESTIMATE, estimate, ordersService } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const orders = await keep(ordersService());
const environment = { HOOK_URL: 'http://hook.test' };

async function problemsOf(actions: readonly unknown[], types = ESTIMATE, more: object = {}) {
  const { path: location } = await keepForTest(
    metadataDirectory({
      'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
      'actions.yaml': { actions },
      'actions.graphql': types,
      ...more,
    }),
  );
  const { report } = await reportOf({ location, environment });
  return report.problems.map(({ file, line, path, message }) => {
    expect([file, typeof line]).toEqual(['actions.yaml', 'number']);
    return `${path?.replace('actions[0].definition.', '')}: ${message.replace(/^action "estimate": /, '')}`;
  });
}

const problemsOfField = (field: object, types?: string) => problemsOf([estimate(field)], types);

describe('an invalid field is reported with file and line', () => {
  test.each<[string, object, string]>([
    ['an unknown key', { batched: true }, 'field.batched: unknown key "batched": did you mean "batch"?'],
    ['a root type', { type: 'Query' }, 'field.type: expected a type other than the root types'],
    ['a type of introspection', { type: '__Type' }, 'field.type: expected a GraphQL name'],
    ['a reserved name', { name: '__typename' }, 'field.name: expected a GraphQL name'],
    [
      'a size that is no size',
      { batch: true, max_batch_size: 0 },
      'field.max_batch_size: Too small: expected number to be >=1',
    ],
    [
      'a size without batches',
      { max_batch_size: 5 },
      'field.max_batch_size: the handler takes one object in each call: requires batch: true',
    ],
    [
      'a misspelt field of the key',
      { key: 'id wieght' },
      'field.key: the key field "wieght" is not an argument of the action "estimate": did you mean "weight"?',
    ],
    [
      'no key',
      { key: ' ' },
      'field.key: expected fields such as "id" or "id owner { id }": Syntax Error: Expected Name, found "}".',
    ],
    [
      'an alias',
      { key: 'id: weight' },
      'field.key: expected fields such as "id" or "id owner { id }", without aliases, arguments, directives and fragments',
    ],
    ['a second operation', { key: 'id } { id' }, 'field.key: expected fields such as "id" or "id owner { id }"'],
    [
      'fields in a scalar',
      { key: 'id { id } weight' },
      'field.key: fields are selected in "id", whose argument is not an input object',
    ],
    ['an unknown type', { type: 'Ordr' }, 'field.type: there is no object type "Ordr": did you mean "Order"?'],
    [
      'an interface',
      { type: 'Thing' },
      'field.type: "Thing" is not an object type, so an action cannot be a field of it',
    ],
    ['a field that the type has', { name: 'note' }, 'field.name: the type "Order" already has a field "note"'],
  ])('%s', async (_, field, problem) => {
    expect(await problemsOfField(field)).toEqual([problem]);
  });

  test.each<[string, string, string, string]>([
    [
      'a key that the type lacks',
      'type Query { estimate(mass: Int): Estimate } type Estimate { price: Int }',
      'mass',
      'field.key: the type "Order" has no field "mass"',
    ],
    [
      'a key of another type',
      'type Query { estimate(note: Int): Estimate } type Estimate { price: Int }',
      'note',
      'field.key: "note" takes Int, and "note" is String',
    ],
    [
      'an object without selections',
      'type Query { estimate(owner: O!): Estimate } input O { id: ID! } type Estimate { price: Int }',
      'owner',
      'field.key: the argument for "owner" is the input object "O": select its fields, such as "owner { id }"',
    ],
    [
      'a nested field that is missing',
      'type Query { estimate(owner: O!): Estimate } input O { id: ID! name: String } type Estimate { price: Int }',
      'owner { name }',
      'field.key: the key lacks "owner.id", which the input object "O" requires',
    ],
    [
      'a misspelt nested field',
      'type Query { estimate(owner: O!): Estimate } input O { id: ID name: String } type Estimate { price: Int }',
      'owner { nam }',
      'field.key: the input object "O" has no field "nam": did you mean "name"?',
    ],
    [
      'a list of objects for one object',
      'type Query { estimate(parts: P!): Estimate } input P { id: ID! } type Estimate { price: Int }',
      'parts { id }',
      'field.key: "Order.parts" is [Order!]!, and the action takes P!',
    ],
    [
      'a mutation',
      'type Query { x: Int } type Mutation { estimate(id: ID!): Estimate } type Estimate { price: Int }',
      'id',
      'field: action "estimate" is a mutation: only actions of Query can be fields of a type',
    ],
  ])('%s', async (_, types, key, problem) => {
    const x = { name: 'x', definition: { handler: 'http://x.test' }, permissions: [] };
    const actions = types.includes('x: Int') ? [estimate({ key }), x] : [estimate({ key })];
    expect(await problemsOf(actions, types)).toEqual([problem]);
  });

  test('a root type that has another name in its service', async () => {
    const sdl = 'schema { query: Questions } type Questions { order: Int id: ID weight: Int }';
    const other = await keepForTest(graphqlUpstream(sdl));
    const remotes = [{ name: 'other', definition: { url: other.graphqlUrl } }];
    expect(await problemsOf([estimate({ type: 'Questions' })], ESTIMATE, { 'remote_schemas.yaml': remotes })).toEqual([
      'field.type: there is no object type "Questions"',
    ]);
  });

  test('a field that two actions are', async () => {
    const other = { ...estimate(), name: 'other' };
    const types = `${ESTIMATE} extend type Query { other(id: ID!, weight: Int): Estimate }`;
    expect(await problemsOf([estimate(), other], types)).toEqual([
      'actions[1].definition.field.name: the action "estimate" is already the field "Order.estimate"',
    ]);
  });

  test('a field that is an authentication field', async () => {
    expect(await problemsOf([estimate({}, { authentication_field: true })])).toEqual([
      'authentication_field: only a root field can be an authentication field',
    ]);
  });

  test('a template that reads the input of one object in a batch', async () => {
    const { path: location } = await keepForTest(
      metadataDirectory({
        'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
        'actions.yaml': {
          actions: [estimate({ batch: true }, { request_transform: { url: '{{$base_url}}/{{$body.input.id}}' } })],
        },
        'actions.graphql': ESTIMATE,
      }),
    );
    const { report } = await reportOf({ location, environment });
    expect(report.warnings?.map(({ message }) => message)).toEqual([
      'a template reads $body.input, which does not exist: did you mean "inputs"?',
    ]);
  });
});

test('a valid field has no problems', async () => {
  expect(await problemsOfField({ batch: true, max_batch_size: 10 })).toEqual([]);
});

describe('while the gateway runs', () => {
  const files = (field: object) => ({
    'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
    'actions.yaml': { actions: [estimate(field)] },
    'actions.graphql': ESTIMATE,
  });

  test('an edit that breaks a field is refused, and one that renames it is taken', async () => {
    const issuer = await keepForTest(openIssuer());
    const gateway = await keepForTest(openEditedGateway(files({}), { issuer, environment }));
    const fields = async () => {
      const { body } = await gateway.graphql('{ __type(name: "Order") { fields { name } } }', {
        token: issuer.token(),
      });
      const { __type: type } = body.data as { __type: { fields: { name: string }[] } };
      return type.fields
        .map(({ name }) => name)
        .filter((name) => !['id', 'weight', 'owner', 'note', 'parts', 'broken'].includes(name));
    };
    expect(await fields()).toEqual(['estimate']);
    const refused = await gateway.edit(files({ type: 'Ordr' }));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('there is no object type \\"Ordr\\": did you mean \\"Order\\"?');
    expect(await fields()).toEqual(['estimate']);
    expect((await gateway.edit(files({ name: 'price' }))).status).toBe(200);
    expect(await fields()).toEqual(['price']);
    const { body } = await gateway.command<{ items: { name: string; fields: { items: { name: string }[] } }[] }>(
      'portico_get_graph',
      {
        search: 'Order',
      },
    );
    const order = body.items.find(({ name }) => name === 'Order');
    expect(order?.fields.items.find(({ name }) => name === 'price')).toMatchObject({
      sources: ['estimate'],
      relationship: { target: 'estimate', fields: ['id', 'weight'] },
    });
  });

  test('one that is broken from the start keeps nothing else out', async () => {
    const issuer = await keepForTest(openIssuer());
    const gateway = await keepForTest(openEditedGateway(files({ type: 'Ordr' }), { issuer, environment }));
    const { body } = await gateway.graphql('{ orders { id } __type(name: "Estimate") { name } }', {
      token: issuer.token(),
    });
    expect(body).toEqual({ data: { orders: ['1', '2', '3', '4'].map((id) => ({ id })), __type: null } });
    const { body: found } = await gateway.command('get_inconsistent_metadata');
    expect(JSON.stringify(found)).toContain('there is no object type \\"Ordr\\"');
  });
});

test('a comparison with a Hasura names the field as an extension', async () => {
  const sdl = `schema { query: query_root } type query_root { estimate(id: ID!, weight: Int!, express: Boolean): Estimate, orders: [Order] }
    type Order { id: ID! } type Estimate { price: Int! days: Int carrier_id: ID legs: [Leg!] } type Leg { km: Int! }`;
  const hasura = await keepForTest(
    serve((received, response) => {
      const { query } = received.body as { query: string };
      return reply(response, 200, graphqlSync({ schema: buildSchema(sdl), source: query }));
    }),
  );
  const { path: location } = await keepForTest(
    metadataDirectory({
      'remote_schemas.yaml': [{ name: 'orders', definition: { url: orders.graphqlUrl } }],
      'actions.yaml': { actions: [estimate()] },
      'actions.graphql': ESTIMATE,
    }),
  );
  const { report } = await reportOf({ location, environment, hasura: hasura.url });
  const found = report.hasura?.differences.map(({ message }) => message).filter((one) => one.includes("'estimate'"));
  const ending = '(an extension of Portico: "field" of the action "estimate")';
  expect(found).toEqual([
    `Field 'estimate' was removed from object type 'Query' ${ending}`,
    `Field 'estimate' was added to object type 'Order' ${ending}`,
  ]);
});

test('a field of a type whose service is not available yet is no problem', async () => {
  const issuer = await keepForTest(openIssuer());
  const gateway = await keepForTest(
    openEditedGateway(
      {
        'remote_schemas.yaml': [{ name: 'orders', definition: { url: 'http://127.0.0.1:9/graphql' } }],
        'actions.yaml': { actions: [estimate()] },
        'actions.graphql': ESTIMATE,
      },
      { issuer, environment },
    ),
  );
  const { body } = await gateway.command('get_inconsistent_metadata');
  expect(JSON.stringify(body)).toContain('orders');
  expect(JSON.stringify(body)).not.toContain('estimate');
});
