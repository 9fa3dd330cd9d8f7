import { afterAll, describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { overrideLevels } from '../../../gateway/sources/federation/federation-overrides.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, until } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const filmsOf = (from: string) => ({
  Query: { film: () => ({ id: '1', by: from }), shown: () => from },
  Film: {
    __resolveReference: (key: object) => key,
    rating: () => from,
    stars: () => from,
    length: () => from,
  },
});

const OLD = linked(`type Query { film: Film shown: String more: Int }
  type Film @key(fields: "id") { id: ID! rating: String stars: String length: String }`);
const newer = (rating: string, length = rating) =>
  linked(`type Query { shown: String @override(from: "old", label: "${rating}") }
    type Film @key(fields: "id") { id: ID!
      rating: String @override(from: "old", label: "${rating}")
      stars: String @override(from: "old", label: "${rating}")
      length: String @override(from: "old", label: "${length}") }`);

const old = await keep(apolloSubgraph(OLD, filmsOf('old')));
const withLabels = (rating: string, length?: string) =>
  keep(apolloSubgraph(newer(rating, length), { ...filmsOf('new'), Query: { shown: () => 'new' } }));

async function openCinema(labels: readonly [string, string?], definition: object = {}) {
  const added = await withLabels(...labels);
  const remotes = [federated('old', old), federated('new', added, definition)];
  return keep(openEditedGateway({ 'remote_schemas.yaml': remotes }, { issuer }));
}

type Gateway = Awaited<ReturnType<typeof openCinema>>;
const ask = async (gateway: Gateway, query: string) => (await gateway.graphql(query, { token })).body;
const ratings = (by: string) => ({ data: { film: { rating: by, stars: by }, shown: by } });
const RATINGS = '{ film { rating stars } shown }';

describe('an override with a percentage', () => {
  test('sends that share of the requests to the new subgraph, and all of a request to one of them', async () => {
    const gateway = await openCinema(['percent(50)']);
    const counted = { old: 0, new: 0 };
    for (let at = 0; at < 100; at++) {
      const body = await ask(gateway, RATINGS);
      const by = (body.data as { shown: 'old' | 'new' }).shown;
      expect(body).toEqual(ratings(by));
      counted[by] += 1;
    }
    // Fewer than 20 of 100 at one half: once in 10^9 runs.
    expect(Math.min(counted.old, counted.new)).toBeGreaterThanOrEqual(20);
  });

  test('of 0 or 100 percent is not random', async () => {
    const gateway = await openCinema(['percent(0)', 'percent(100)']);
    for (let at = 0; at < 20; at++)
      expect(await ask(gateway, '{ film { rating length } shown }')).toEqual({
        data: { film: { rating: 'old', length: 'new' }, shown: 'old' },
      });
  });

  test('is pinned by the metadata', async () => {
    const on = await openCinema(['percent(50)'], { override_labels: { 'percent(50)': true } });
    const off = await openCinema(['percent(50)'], { override_labels: { 'percent(50)': 0 } });
    for (let at = 0; at < 20; at++) {
      expect(await ask(on, RATINGS)).toEqual(ratings('new'));
      expect(await ask(off, RATINGS)).toEqual(ratings('old'));
    }
  });
});

describe('an override with another label', () => {
  test('holds when the metadata says so, from a reload on', async () => {
    const gateway = await openCinema(['new-ratings', 'lengths/new']);
    expect(await ask(gateway, RATINGS)).toEqual(ratings('old'));
    const added = await withLabels('new-ratings', 'lengths/new');
    await gateway.edit({
      'remote_schemas.yaml': [
        federated('old', old),
        federated('new', added, { override_labels: { 'new-ratings': true } }),
      ],
    });
    expect((await gateway.command('reload_metadata')).status).toBe(200);
    expect(await ask(gateway, '{ film { rating length } shown }')).toEqual({
      data: { film: { rating: 'new', length: 'old' }, shown: 'new' },
    });
  });

  test('holds for a field whose values may be of other types in the new subgraph', async () => {
    const typed = { __resolveType: ({ __typename }: { __typename: string }) => __typename };
    const extrasOf = (extra: object) => ({
      Query: { newest: () => ({ id: '1' }) },
      Film: { __resolveReference: (key: object) => key, extras: () => [extra] },
      Extra: typed,
    });
    const before = await keep(
      apolloSubgraph(
        linked(`type Film @key(fields: "id") { id: ID! extras: [Extra]! } union Extra = Text | Cut
          type Text @shareable { body: String } type Cut { minutes: Int }`),
        extrasOf({ __typename: 'Cut', minutes: 9 }),
      ),
    );
    const after = await keep(
      apolloSubgraph(
        linked(`type Query { newest: Film } union Extra = Text | Song
          type Film @key(fields: "id") { id: ID! extras: [Extra]! @override(from: "before", label: "extras") }
          type Text @shareable { body: String } type Song { title: String }`),
        extrasOf({ __typename: 'Song', title: 'Tide' }),
      ),
    );
    const extras = async (isActive: boolean) => {
      const labels = { override_labels: { extras: isActive } };
      const remotes = [federated('before', before), federated('after', after, labels)];
      const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': remotes }, { issuer }));
      return ask(gateway, '{ newest { extras { __typename ... on Cut { minutes } ... on Song { title } } } }');
    };
    expect(await extras(false)).toEqual({ data: { newest: { extras: [{ __typename: 'Cut', minutes: 9 }] } } });
    expect(await extras(true)).toEqual({ data: { newest: { extras: [{ __typename: 'Song', title: 'Tide' }] } } });
  });

  test('cannot be chosen by a client', async () => {
    const gateway = await openCinema(['new-ratings']);
    const headers = { 'x-hasura-override-labels': 'new-ratings', 'x-override-labels': 'new-ratings' };
    expect((await gateway.graphql(RATINGS, { token, headers })).body).toEqual(ratings('old'));
  });
});

/** Why remote schemas are left out, once there is a reason that has this text. */
async function reasonAgainst(text: string, remotes: readonly object[], files: object = {}): Promise<string> {
  const gateway = await keep(
    openEditedGateway({ 'remote_schemas.yaml': remotes, ...files }, { issuer, waitUntilReady: false }),
  );
  return until(`something is left out: ${text}`, async () => {
    const { body } = await gateway.command('get_inconsistent_metadata');
    const { inconsistent_objects: found } = body as unknown as { inconsistent_objects: { reason: string }[] };
    const reasons = found.map(({ reason }) => reason).join(' ');
    return reasons.includes(text) && reasons;
  });
}

describe('an override that cannot be honoured is rejected', () => {
  test('a setting for a label that no override has', async () => {
    const added = await withLabels('new-ratings');
    const wrong = federated('new', added, { override_labels: { 'new-rating': true } });
    await reasonAgainst('no @override has this label: its labels are "new-ratings"', [federated('old', old), wrong]);
  });

  test('two settings for one label', async () => {
    const added = await withLabels('new-ratings');
    const other = await keep(
      apolloSubgraph(linked('type Query { more: Int @override(from: "old", label: "new-ratings") }')),
    );
    await reasonAgainst('says true for this label', [
      federated('old', old),
      federated('new', added, { override_labels: { 'new-ratings': true } }),
      federated('other', other, { override_labels: { 'new-ratings': 20 } }),
    ]);
  });

  test('a label on a field of an interface object', async () => {
    const media = await keep(
      apolloSubgraph(
        linked(`type Query { media: Media } interface Media @key(fields: "id") { id: ID! }
          type Video implements Media @key(fields: "id") { id: ID! }`),
        { Query: { media: () => ({ __typename: 'Video', id: '1' }) } },
      ),
    );
    const rated = (directive: string) =>
      keep(
        apolloSubgraph(linked(`type Media @interfaceObject @key(fields: "id") { id: ID! rating: Int ${directive} }`)),
      );
    const reason = await reasonAgainst('UNSUPPORTED_FEATURE', [
      federated('media', media),
      federated('before', await rated('')),
      federated('after', await rated('@override(from: "before", label: "percent(5)")')),
    ]);
    expect(reason).toContain('percent(5)');
    expect(reason).toMatch(/\(line \d+ of the SDL of "after"\)/);
  });

  const SHOP = linked(`type Query { user: User! } type User @key(fields: "id") @context(name: "user") {
    id: ID! currency: String! payments: [Payment!]! }
    type Payment @key(fields: "id") { id: ID!
      amount(in: String @fromContext(field: "$user { currency }")): String }`);

  const UNSUPPORTED = '"Payment.amount(in:)" is taken from a context, and @fromContext is not supported';

  test('an argument that is taken from a context, whatever the directive is called', async () => {
    const shop = await keep(apolloSubgraph(SHOP));
    const renamed = SHOP.replace('"@fromContext"', '{ name: "@fromContext", as: "@given" }').replace(
      '@fromContext(field',
      '@given(field',
    );
    const other = await keep(apolloSubgraph(renamed));
    for (const one of [shop, other]) {
      const reason = await reasonAgainst(UNSUPPORTED, [federated('shop', one)]);
      expect(reason).toContain('UNSUPPORTED_FEATURE');
    }
  });

  test('the same in a supergraph that is composed already', async () => {
    const { supergraphSdl = '' } = composeServices([
      { name: 'shop', typeDefs: parse(SHOP), url: 'http://127.0.0.1:9/graphql' },
    ]);
    expect(supergraphSdl).toContain('contextArguments');
    const remote = { name: 'shop', definition: { composition: 'federation', supergraph_file: 'shop.graphql' } };
    await reasonAgainst(UNSUPPORTED, [remote], { 'shop.graphql': supergraphSdl });
  });
});

test('a supergraph that is composed already has its labels in the metadata too', async () => {
  const added = await withLabels('percent(50)', 'new-lengths');
  const { supergraphSdl = '' } = composeServices([
    { name: 'old', typeDefs: parse(OLD), url: old.graphqlUrl },
    { name: 'new', typeDefs: parse(newer('percent(50)', 'new-lengths')), url: added.graphqlUrl },
  ]);
  const remote = (labels: object) => ({
    name: 'cinema',
    definition: { composition: 'federation', supergraph_file: 'cinema.graphql', override_labels: labels },
  });
  const files = { 'cinema.graphql': supergraphSdl };
  const gateway = await keep(
    openEditedGateway(
      { 'remote_schemas.yaml': [remote({ 'percent(50)': false, 'new-lengths': 100 })], ...files },
      { issuer },
    ),
  );
  for (let at = 0; at < 10; at++)
    expect(await ask(gateway, '{ film { rating length } shown }')).toEqual({
      data: { film: { rating: 'old', length: 'new' }, shown: 'old' },
    });
  await reasonAgainst('no @override has this label', [remote({ odd: true })], files);
});

test('labels are decided with one draw, so that decisions are hardly more than there are percentages', () => {
  const labels = ['percent(5)', 'percent(50)', 'percent(5.0)', 'on', 'off', 'some'];
  expect(overrideLevels(labels, { on: true, some: 50, off: false })).toEqual([
    { below: 5, active: new Set(['percent(5)', 'percent(50)', 'percent(5.0)', 'on', 'some']) },
    { below: 50, active: new Set(['percent(50)', 'on', 'some']) },
    { below: 100, active: new Set(['on']) },
  ]);
});
