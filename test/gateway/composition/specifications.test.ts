import { afterAll, describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { accessibleTo, readSupergraph } from '../../../gateway/planning/composition/index.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const sdl = linked(
  `type Query { open: String mine: String @requiresScopes(scopes: [["read"]]) kept: String @inaccessible }`,
);
const service = await keep(
  apolloSubgraph(sdl, { Query: { open: () => 'open', mine: () => 'mine', kept: () => 'kept' } }),
);
const supergraph =
  composeServices([{ name: 'one', typeDefs: parse(sdl), url: service.graphqlUrl }]).supergraphSdl ?? '';

/** The same with other names for two directives, told in the links as given. */
function renamed(scopes: string, inaccessible: string): string {
  return supergraph
    .replaceAll('@requiresScopes(', '@scopes(')
    .replaceAll('@inaccessible', '@hidden')
    .replace(/(requiresScopes\/v[\d.]+")/, `$1, ${scopes}`)
    .replace(/(inaccessible\/v[\d.]+")/, `$1, ${inaccessible}`);
}

describe('a supergraph may rename the authorization directives', () => {
  test.each([
    ['as its links are called', renamed('as: "scopes"', 'as: "hidden"')],
    [
      'as it imports them',
      renamed(
        'import: [{ name: "@requiresScopes", as: "@scopes" }]',
        'import: [{ name: "@inaccessible", as: "@hidden" }]',
      ),
    ],
  ])('%s', async (_, text) => {
    expect(text).toContain('@scopes(');
    const gateway = await keep(
      openEditedGateway(
        {
          'remote_schemas.yaml': [
            { name: 'shop', definition: { composition: 'federation', supergraph_file: 'shop.graphql' } },
          ],
          'shop.graphql': text,
        },
        { issuer },
      ),
    );
    const ask = async (query: string, scope: string) =>
      (await gateway.graphql(query, { token: issuer.token({ payload: { scope } }) })).body;
    expect((await ask('{ open mine }', 'read')).data).toEqual({ open: 'open', mine: 'mine' });
    expect(await ask('{ open mine }', 'write')).toMatchObject({
      data: { open: 'open', mine: null },
      errors: [{ path: ['mine'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }],
    });
    expect((await ask('{ kept }', 'read')).errors).toMatchObject([
      { message: expect.stringContaining('Cannot query field "kept"') },
    ]);
  });

  test('and give their usual names to other directives', async () => {
    const text = renamed('as: "scopes"', 'as: "hidden"').replace(/open: String/, 'open: String @inaccessible');
    const { schema } = await readSupergraph(text);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['open', 'mine']);
  });
});

const link = (text: string) => supergraph.replace(/^schema/m, `schema ${text}`);

test.each([
  ['security', '@link(url: "https://specs.example.com/rbac/v1.0", for: SECURITY)', 'specs.example.com/rbac/v1.0'],
  ['execution', '@link(url: "https://specs.apollo.dev/connect/v0.1", for: EXECUTION)', 'apollo.dev/connect/v0.1'],
  ['security, with a name that is known', '@link(url: "https://example.com/policy/v1", for: SECURITY)', 'example.com'],
])('a supergraph with an unknown specification whose purpose is %s is rejected', async (_, text, named) => {
  await expect(readSupergraph(link(text))).rejects.toThrow(named);
});

test('a supergraph that links to an invalid URL is rejected too', async () => {
  await expect(readSupergraph(link('@link(url: "odd")'))).rejects.toThrow('it links to "odd", which is not a URL');
});

test('a link to an unknown specification without a purpose is ignored', async () => {
  const { schema } = await readSupergraph(
    link('@link(url: "https://specs.example.com/owner/v1.0") @link(url: "https://example.com/odd")'),
  );
  expect(schema.getQueryType()?.getFields().open).toBeDefined();
});

describe('the scopes of a field', () => {
  const NOBODY = { isAuthenticated: false, scopes: new Set<string>(), policies: new Set<string>() };
  const joins = supergraph.replace(/type Query[\s\S]*?\n}/, '');
  const demanding = async (types: string) => {
    const { requirements } = await readSupergraph(`${joins} ${types}`);
    return (field: string) => !accessibleTo(NOBODY, requirements.get(field) ?? []);
  };
  const ONE = '@join__type(graph: ONE)';

  test('of a type that implements an interface apply to fields that require the field of the interface', async () => {
    const demands = await demanding(`directive @authenticated on FIELD_DEFINITION | OBJECT
      type Query ${ONE} { card: Card }
      interface Party ${ONE} { name: String place: Place }
      interface Place ${ONE} { town: String }
      type Home implements Place @join__implements(graph: ONE, interface: "Place") ${ONE} @authenticated { town: String }
      type Company implements Party @join__implements(graph: ONE, interface: "Party") ${ONE} { name: String place: Place }
      type Person implements Party @join__implements(graph: ONE, interface: "Party") ${ONE} { name: String @authenticated place: Place }
      type Card ${ONE} { id: ID! holder: Party
        greeting: String @join__field(graph: ONE, requires: "holder { name }")
        route: String @join__field(graph: ONE, requires: "holder { place { town } }")
        firm: String @join__field(graph: ONE, requires: "holder { ... on Company { name } }") }`);
    expect(['Card.greeting', 'Card.route', 'Card.firm', 'Card.id'].map(demands)).toEqual([true, true, false, false]);
  });

  test('of an interface apply to all types that implement it', async () => {
    const demands = await demanding(`directive @authenticated on FIELD_DEFINITION
      type Query ${ONE} { video: Video }
      interface Media ${ONE} { id: ID! secret: String @authenticated }
      type Video implements Media ${ONE} @join__implements(graph: ONE, interface: "Media") { id: ID! secret: String own: Int }`);
    expect([demands('Video.secret'), demands('Media.secret')]).toEqual([true, true]);
    expect([demands('Video.id'), demands('Video.own'), demands('Query.video')]).toEqual([false, false, false]);
  });

  test('include those of the fields that it @requires', async () => {
    const demands = await demanding(`directive @authenticated on FIELD_DEFINITION
      type Query ${ONE} { user: User }
      type User ${ONE} { id: ID! birth: Birth adult: Boolean @join__field(graph: ONE, requires: "birth { year }")
        mayDrive: Boolean @join__field(graph: ONE, requires: "adult") tall: Boolean @join__field(graph: ONE, requires: "id") }
      type Birth ${ONE} { year: Int @authenticated place: String }`);
    expect([demands('Birth.year'), demands('User.adult'), demands('User.mayDrive')]).toEqual([true, true, true]);
    expect([demands('User.tall'), demands('User.birth'), demands('Birth.place')]).toEqual([false, false, false]);
  });
});
