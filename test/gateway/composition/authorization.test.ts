import { afterAll, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';
import { apolloSubgraph, linked } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());

const sdl = linked(`
  type Query {
    me: User
    people: [Person]
    mine: String @authenticated
    theirs: String @authenticated
    report: Report
    count: Int! @requiresScopes(scopes: [["admin:read"]])
  }
  interface Person { id: ID! name: String }
  type User implements Person @key(fields: "id") {
    id: ID!
    name: String
    email: String @requiresScopes(scopes: [["read:email"], ["read:user", "read:all"]])
    salary(currency: String): Int @policy(policies: [["payroll"]])
  }
  type Robot implements Person { id: ID! name: String @policy(policies: [["machines"]]) }
  type Report @authenticated { lines: Int }
`);

const ANN = { __typename: 'User', id: '1', name: 'Ann', email: 'ann@shop.test', salary: 100 };
const subgraph = await keep(
  apolloSubgraph(sdl, {
    Query: {
      me: () => ANN,
      people: () => [ANN, { __typename: 'Robot', id: '2', name: 'R2' }],
      mine: () => 'yes',
      theirs: () => 'yes',
      report: () => ({ lines: 3 }),
      count: () => 4,
    },
    User: { __resolveReference: () => ANN },
  }),
);
const all = `interface Person { id: ID! name: String }
  type User implements Person { id: ID! name: String email: String salary(currency: String): Int }
  type Robot implements Person { id: ID! name: String }`;
const open = `type Query { me: User people: [Person] mine: String report: Report count: Int! } type Report { lines: Int } ${all}`;
const PERMITTED = {
  user: open,
  payroll: open,
  anonymous: 'type Query { theirs: String }',
};
const gateway = await keep(
  openEditedGateway({ 'remote_schemas.yaml': [federated('users', subgraph, {}, PERMITTED)] }, { issuer }),
);
const refused = (...path: (string | number)[]) =>
  expect.objectContaining({
    message: 'Unauthorized field or type',
    path,
    extensions: expect.objectContaining({ code: 'UNAUTHORIZED_FIELD_OR_TYPE' }),
  });
const withScope = (scope: unknown) => issuer.token({ payload: { scope } });

describe('a field with required scopes or policies', () => {
  test('is null with an error, and the subgraph is not asked for it', async () => {
    subgraph.forget();
    const { body } = await gateway.graphql('{ me { name mail: email } }', { token: issuer.token() });
    expect(body.data).toEqual({ me: { name: 'Ann', mail: null } });
    expect(body.errors).toEqual([refused('me', 'mail')]);
    expect(
      subgraph
        .asked()
        .map(({ query }) => query)
        .join(),
    ).not.toContain('email');
  });

  test.each([
    ['the scope', 'openid read:email', true],
    ['all scopes of another list', 'read:all read:user', true],
    ['only some of them', 'read:all', false],
    ['a scope that only begins like it', 'read:emails', false],
    ['scopes as a list', ['read:email'], true],
  ])('needs its scopes: a token with %s', async (_, scope, isGiven) => {
    const { body } = await gateway.graphql('{ me { email } }', { token: withScope(scope) });
    expect(body.data).toEqual({ me: { email: isGiven ? 'ann@shop.test' : null } });
  });

  test('takes scopes from the session variable too', async () => {
    const token = issuer.token({ hasura: { 'x-hasura-scopes': ['other', 'read:email'] } });
    expect((await gateway.graphql('{ me { email } }', { token })).body.data).toEqual({
      me: { email: 'ann@shop.test' },
    });
  });

  test('takes policies from the role and from the session variable', async () => {
    const query = 'query ($in: String) { me { salary(currency: $in) } }';
    const given = { data: { me: { salary: 100 } } };
    const byRole = issuer.token({ role: 'payroll', roles: ['payroll'] });
    expect((await gateway.graphql(query, { token: byRole, variables: { in: 'euro' } })).body).toEqual(given);
    const byVariable = issuer.token({ hasura: { 'x-hasura-policies': 'audit, payroll' } });
    expect((await gateway.graphql(query, { token: byVariable })).body).toEqual(given);
    const { body } = await gateway.graphql(query, { token: issuer.token(), variables: { in: 'euro' } });
    expect(body).toEqual({ data: { me: { salary: null } }, errors: [refused('me', 'salary')] });
  });

  test('is rejected in named fragments, and reported once where it is selected twice', async () => {
    const { body } = await gateway.graphql('{ me { ...F ...F email } } fragment F on User { id email }', {
      token: issuer.token(),
    });
    expect(body).toEqual({ data: { me: { id: '1', email: null } }, errors: [refused('me', 'email')] });
  });

  test('makes the parent null when its type is non-null', async () => {
    const { body } = await gateway.graphql('{ me { name } count }', { token: issuer.token() });
    expect(body).toEqual({ data: null, errors: [refused('count')] });
  });
});

describe('a field with @authenticated', () => {
  test('is null without a token, even if a permission lists it', async () => {
    expect((await gateway.graphql('{ theirs }')).body).toEqual({ data: { theirs: null }, errors: [refused('theirs')] });
  });

  test('is returned with a token, and so is a type', async () => {
    const { body } = await gateway.graphql('{ mine report { lines } }', { token: issuer.token() });
    expect(body).toEqual({ data: { mine: 'yes', report: { lines: 3 } } });
  });
});

describe('an interface', () => {
  test('returns a field that one of its types restricts only to callers with all scopes', async () => {
    const { body } = await gateway.graphql('{ people { id name } }', { token: issuer.token() });
    expect(body.data).toEqual({
      people: [
        { id: '1', name: null },
        { id: '2', name: null },
      ],
    });
    const machinist = issuer.token({ hasura: { 'x-hasura-policies': 'machines' } });
    expect((await gateway.graphql('{ people { name } }', { token: machinist })).body).toEqual({
      data: { people: [{ name: 'Ann' }, { name: 'R2' }] },
    });
  });

  test('reports a restricted field only for the objects that have it', async () => {
    const { body } = await gateway.graphql('{ people { ... on User { name } ... on Robot { machine: name } } }', {
      token: issuer.token(),
    });
    expect(body.data).toEqual({ people: [{ name: 'Ann' }, { machine: null }] });
    expect(body.errors).toEqual([refused('people', 1, 'machine')]);
  });
});
