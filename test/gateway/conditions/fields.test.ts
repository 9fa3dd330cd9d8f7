import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, type GraphqlBody, keeper } from '../harness/index.ts';
import { FREE, openConditionedShop, PRO } from './shop.ts';

const { keep, close } = keeper();
afterAll(close);
const world = await keep(openConditionedShop());
const { shop, gateway, ask, tokenOf, issuer } = world;

const CODE = 'session-condition-failed';
const pathsOf = ({ errors = [] }: GraphqlBody) =>
  errors.map(({ path, extensions }) => (extensions.code === CODE ? path?.join('.') : extensions.code));

describe('a field with a condition', () => {
  test('is resolved for a session that meets it', async () => {
    expect(await ask('{ report { total } orders { margin } }', PRO)).toEqual({
      data: { report: { total: 10 }, orders: [{ margin: 3 }, { margin: 3 }] },
    });
    expect(await ask('mutation { refund(id: 1) { id } }', { 'x-hasura-plan': 'team' })).toEqual({
      data: { refund: { id: '1' } },
    });
  });

  test('is refused for another session, with the path, before anything is fetched', async () => {
    const body = await ask('{ orders { id } total: report { total } }', FREE);
    expect(body).toEqual({
      errors: [
        {
          message: 'the session does not meet the condition of the field "report"',
          locations: [{ line: 1, column: 17 }],
          path: ['total'],
          extensions: { path: '$', code: CODE },
        },
      ],
    });
    expect(shop.requests).toEqual([]);
  });

  test('is refused without the variable', async () => {
    expect(pathsOf(await ask('{ report { total } }'))).toEqual(['report']);
    expect(pathsOf(await ask('mutation { note(text: "a") refund(id: 1) { id } }'))).toEqual(['refund']);
    expect(shop.requests).toEqual([]);
  });

  test.each<[string, string[]]>([
    ['{ a: orders { b: margin } }', ['a.b']],
    ['{ ...F } fragment F on Query { orders { ...M } } fragment M on Order { m: margin }', ['orders.m']],
    ['{ ... on Query { ... { orders { ... on Order { margin } } } } }', ['orders.margin']],
    ['{ a: orders { ...M } b: orders { ...M } } fragment M on Order { margin }', ['a.margin']],
    ['{ orders { margin } report { total costs } user(id: 1) { salary } }', ['orders.margin', 'report', 'user.salary']],
    // Any implementing type may be returned.
    ['{ node(id: 9) { margin } }', ['node.margin']],
    ['{ node(id: 9) { ... on Node { margin } } }', ['node.margin']],
    ['{ node(id: 1) { ... on Order { margin } } }', ['node.margin']],
    ['{ things { ... on Order { margin } } }', ['things.margin']],
    ['{ things { ... on Node { margin } } }', ['things.margin']],
    ['query A { orders { id } } query B { report { total } }', ['validation-failed']],
  ])('is found wherever it is selected: %s', async (query, paths) => {
    expect(pathsOf(await ask(query, FREE))).toEqual(paths);
    expect(shop.requests).toEqual([]);
  });

  test.each([
    '{ node(id: 9) { ... on Item { margin } } }',
    '{ things { ... on Item { margin } ... on Order { id } } }',
    '{ orders { id item } user(id: 1) { name } }',
    '{ __type(name: "Order") { fields { name } } }',
  ])('is not selected by %s', async (query) => {
    expect((await ask(query, FREE)).errors).toBeUndefined();
  });

  test('counts only in the operation that runs', async () => {
    const query = 'query A { orders { id } } query B { report { total } }';
    expect(await ask(query, FREE, { operationName: 'A' })).toEqual({ data: { orders: [{ id: '1' }, { id: '2' }] } });
    expect(pathsOf(await ask(query, FREE, { operationName: 'B' }))).toEqual(['report']);
  });

  test('stays visible', async () => {
    const body = await ask('{ __type(name: "Order") { fields { name } } }', FREE);
    expect(JSON.stringify(body.data)).toContain('"margin"');
  });

  test('is never refused for the admin, and not for a role whose permission has no condition', async () => {
    for (const role of ['admin', 'free'])
      expect(await ask('{ report { total } }', {}, { token: tokenOf({}, role) })).toEqual({
        data: { report: { total: 10 } },
      });
  });
});

describe('@skip and @include', () => {
  const query = 'query ($with: Boolean!) { orders { id margin @include(if: $with) } }';
  const withDefault = (value: boolean) =>
    `query ($with: Boolean = ${value}) { orders { id } ... @include(if: $with) { report { total } } }`;

  test('a skipped field is not selected', async () => {
    expect((await ask(query, FREE, { variables: { with: false } })).data).toBeDefined();
    expect(pathsOf(await ask(query, FREE, { variables: { with: true } }))).toEqual(['orders.margin']);
    expect((await ask(withDefault(false), FREE)).data).toBeDefined();
    expect(pathsOf(await ask(withDefault(true), FREE))).toEqual(['report']);
    expect((await ask(withDefault(true), FREE, { variables: { with: false } })).data).toBeDefined();
    expect((await ask('{ orders { id } report @skip(if: true) { total } }', FREE)).data).toBeDefined();
    expect(pathsOf(await ask('{ report @skip(if: false) @include(if: true) { total } }', FREE))).toEqual(['report']);
  });

  test('a fragment that is skipped in one place and not in another is selected', async () => {
    const spread = '{ a: orders { id ...M @skip(if: true) } b: orders { ...M } } fragment M on Order { margin }';
    expect(pathsOf(await ask(spread, FREE))).toEqual(['b.margin']);
  });

  test('null in place of a boolean hides no field', async () => {
    for (const value of [true, false]) {
      const body = await ask(withDefault(value), FREE, { variables: { with: null } });
      expect(body.data ?? undefined).toBeUndefined();
      expect(shop.requests).toEqual([]);
    }
  });

  test('variables that are no booleans are refused as such', async () => {
    expect(pathsOf(await ask(query, FREE, { variables: { with: 'false' } }))).toEqual(['validation-failed']);
    expect(pathsOf(await ask(query, FREE))).toEqual(['validation-failed']);
  });
});

describe('a relationship', () => {
  test('has the conditions of the fields that it fetches', async () => {
    expect(pathsOf(await ask('{ orders { summary { total } } }', FREE))).toEqual(['orders.summary']);
    expect(pathsOf(await ask('{ orders { owner { name salary } } }', PRO))).toEqual(['orders.owner.salary']);
    expect(shop.requests).toEqual([]);
    expect((await ask('{ orders { summary { total } } }', PRO)).errors).toBeUndefined();
  });

  test('needs no condition for its keys', async () => {
    expect(await ask('{ orders { owner { name } } }', FREE)).toEqual({
      data: { orders: [{ owner: { name: 'user 7' } }, { owner: { name: 'user 7' } }] },
    });
  });
});

describe('a hostile caller', () => {
  test('cannot send the variable in a header', async () => {
    for (const headers of [
      { 'x-hasura-plan': 'pro' },
      { 'X-HASURA-PLAN': 'pro' },
      { 'x-hasura-Plan': 'team', 'x-hasura-role': 'user' },
      { x_hasura_plan: 'pro' },
    ])
      expect(pathsOf(await ask('{ report { total } }', FREE, { headers }))).toEqual(['report']);
    const anonymous = await gateway.graphql('{ report { total } }', { headers: { 'x-hasura-plan': 'pro' } });
    expect(anonymous.status).toBe(401);
    expect(shop.requests).toEqual([]);
  });

  test('cannot send the variable as a variable of the operation', async () => {
    const variables = { 'x-hasura-plan': 'pro', plan: 'pro', __proto__: { 'x-hasura-plan': 'pro' } };
    const raw = `{"query":"{ report { total } }","variables":${JSON.stringify(variables)},"__proto__":{"x-hasura-plan":"pro"}}`;
    const { text } = await gateway.send('/v1/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(tokenOf(FREE)) },
      body: raw,
    });
    expect(text).toContain(CODE);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a list', { 'x-hasura-plan': ['pro'] }],
    ['a list as a text', { 'x-hasura-plan': '["pro"]' }],
    ['an object', { 'x-hasura-plan': { pro: true } }],
    ['other letters', { 'x-hasura-plan': 'PRO' }],
    ['letters that look alike', { 'x-hasura-plan': 'pr\u043e' }],
    ['more around it', { 'x-hasura-plan': 'pro ' }],
    ['a true', { 'x-hasura-plan': true }],
    ['an empty text', { 'x-hasura-plan': '' }],
    ['null', { 'x-hasura-plan': null }],
    ['a prototype', { 'x-hasura-__proto__': { 'x-hasura-plan': 'pro' } }],
    ['another name', { 'x-hasura-plan-': 'pro', 'x-hasura-': 'pro', 'x-hasura-plans': 'pro' }],
  ])('does not meet the condition with %s', async (_, hasura) => {
    expect(pathsOf(await ask('{ report { total } }', hasura))).toEqual(['report']);
  });

  test('does not get a variable by a name that only becomes its name in lower case', async () => {
    const token = issuer.token({ hasura: { 'x-hasura-\u212aey': 'pro' } });
    const { status, body } = await gateway.graphql('{ orders { id } }', { token });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([401, 'jwt-invalid-claims']);
  });

  test.each([5, '5', '5.5', 999])('meets a comparison with a number: %j', async (level) => {
    expect((await ask('{ user(id: 1) { salary } }', { 'x-hasura-level': level })).errors).toBeUndefined();
  });

  test.each([4, '1e3', ' 9', '0x10', '٩', [9], true, '9007199254740993', -9, 1e21])(
    'does not meet a comparison with %j',
    async (level) => {
      expect(pathsOf(await ask('{ user(id: 1) { salary } }', { 'x-hasura-level': level }))).toEqual(['user.salary']);
    },
  );

  test('does not slow the gateway down with fragments', async () => {
    const levels = Array.from(
      { length: 25 },
      (_, at) => `fragment F${at} on Query { ...F${at + 1} ... on Query { ...F${at + 1} } }`,
    );
    const query = `{ ...F0 } ${levels.join(' ')} fragment F25 on Query { report { total } }`;
    const startedAt = performance.now();
    const { errors } = await ask(query, FREE);
    expect(errors).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test('does not get long aliases back', async () => {
    const alias = 'a'.repeat(100_000);
    const fields = Array.from({ length: 25 }, (_, at) => `r${at}: margin`).join(' ');
    const { errors = [] } = await ask(`{ ${alias}: orders { ${fields} } }`, FREE);
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(Array(20).fill([undefined, CODE]));
  });

  test('gets a limited number of errors', async () => {
    const query = `{ ${Array.from({ length: 25 }, (_, at) => `r${at}: report { total }`).join(' ')} }`;
    expect((await ask(query, FREE)).errors).toHaveLength(20);
  });
});

describe('sessions of one role', () => {
  const query = '{ report { total } }';

  test('never share a decision, in either order of their requests', async () => {
    for (const comment of ['# a\n', '# b\n']) {
      const sessions = comment === '# a\n' ? [PRO, FREE] : [FREE, PRO];
      const bodies: GraphqlBody[] = [];
      for (const session of [...sessions, ...sessions]) bodies.push(await ask(comment + query, session));
      const isRefused = bodies.map(({ errors }) => errors !== undefined);
      expect(isRefused).toEqual([...sessions, ...sessions].map((session) => session === FREE));
    }
  });

  test('nor while many run at the same time', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const token = tokenOf(at % 2 === 0 ? PRO : FREE);
        return (await gateway.graphql(query, { token })).body;
      }),
    );
    bodies.forEach(({ data, errors }, at) => {
      if (at % 2 === 0) expect(data).toEqual({ report: { total: 10 } });
      else expect([data, errors?.length]).toEqual([undefined, 1]);
    });
  });

  test('nor by a persisted document', async () => {
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const persisted = (body: object, session: object) =>
      gateway.post<GraphqlBody>(
        '/v1/graphql',
        { extensions: { persistedQuery: { version: 1, sha256Hash } }, ...body },
        bearer(tokenOf(session as Record<string, unknown>)),
      );
    expect((await persisted({ query }, PRO)).body.errors).toBeUndefined();
    expect(pathsOf((await persisted({}, FREE)).body)).toEqual(['report']);
    expect((await persisted({}, PRO)).body.errors).toBeUndefined();
  });

  test('nor within a batch, where a refused operation has its own result', async () => {
    shop.forget();
    const { status, body } = await gateway.post<GraphqlBody[]>(
      '/v1/graphql',
      [{ query: '{ orders { id } }' }, { query }, { query: 'mutation { refund(id: 1) { id } }' }],
      bearer(tokenOf(FREE)),
    );
    expect(status).toBe(200);
    expect(body.map(pathsOf)).toEqual([[], ['report'], ['refund']]);
    expect(shop.operations().map(({ body: { query: sent } }) => sent)).toEqual(['{orders{id}}']);
  });
});

describe('the status', () => {
  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 403],
  ])('of a refused operation as %s is %d', async (accept, expected) => {
    const { status } = await gateway.graphql('{ report { total } }', { token: tokenOf(FREE), headers: { accept } });
    expect(status).toBe(expected);
  });

  test('at the older address is the true one', async () => {
    const { status, body } = await gateway.post(
      '/v1alpha1/graphql',
      { query: '{ report { total } }' },
      bearer(tokenOf(FREE)),
    );
    expect([status, body]).toMatchObject([403, { code: CODE }]);
  });
});
