import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { bearer, type GraphqlBody, reply, type TestGateway, until } from '../harness/index.ts';
import { deep, openForest, PUBLIC_LOGIN } from './service.ts';

const forest = await openForest();
afterAll(forest.close);
const { issuer, trees } = forest;
beforeEach(() => {
  forest.forget();
  trees.instead = undefined;
});

const user = issuer.token();
const manager = issuer.token({ role: 'manager' });
const admin = issuer.token({ role: 'admin', roles: ['admin'] });

const nestedInline = (levels: number) => `{ ${'... { hello '.repeat(levels)}${'}'.repeat(levels)} }`;

const spreadOften = (count: number) => {
  const fragments = Array.from({ length: count }, (_, i) => `fragment f${i} on Query { hello }`);
  return `{ ${fragments.map((_, i) => `...f${i}`).join(' ')} } ${fragments.join(' ')}`;
};

const limited = (content: unknown) => forest.gateway({ metadata: { 'api_limits.yaml': content } });

async function codeOf(gateway: TestGateway, query: string, token: string | undefined = user): Promise<unknown> {
  const { status, body } = await gateway.graphql(query, { token });
  expect(status).toBe(200);
  if (!body.errors) return 'ok';
  expect(body).not.toHaveProperty('data');
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0]?.extensions.path).toMatch(/^\$/);
  return body.errors[0]?.extensions.code;
}

describe('without any file', () => {
  const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: hello`).join(' ')} }`;
  const branches = (count: number) => `{ tree { ${'branches { id } '.repeat(count - 1)} } }`;
  const directives = (count: number) => `{ ${'hello @include(if: true) '.repeat(count)} }`;
  const tokens = (count: number) => `{ sum(of: [${'1 '.repeat(count - 9)}]) }`;

  test.each([
    ['15 levels', deep(15), deep(16), 'depth-limit-exceeded', 'the operation is 16 levels deep; the limit is 15'],
    ['30 aliases', aliases(30), aliases(31), 'alias-limit-exceeded', 'the operation has 31 aliases; the limit is 30'],
    [
      '50 directives',
      directives(50),
      directives(51),
      'directive-limit-exceeded',
      'the document has 51 directives; the limit is 50',
    ],
    [
      '10,000 tokens',
      tokens(10_000),
      tokens(10_001),
      'token-limit-exceeded',
      'the document has more than 10000 tokens',
    ],
  ])('an operation may have %s and no more', async (_, allowed, refused, code, message) => {
    const gateway = await shared;
    expect(await codeOf(gateway, allowed)).toBe('ok');
    forest.forget();
    const { body } = await gateway.graphql(refused, { token: user });
    expect(body.errors).toEqual([{ message, extensions: expect.objectContaining({ code }) }]);
    expect(trees.operations()).toHaveLength(0);
  });

  test('what fragments multiply is counted as often as it is asked for', async () => {
    const gateway = await shared;
    const doubling = Array.from(
      { length: 9 },
      (_, i) => `fragment f${i} on Tree { next { ...f${i + 1} } branches { ...f${i + 1} } }`,
    );
    const bomb = `{ tree { ...f0 } } ${doubling.join(' ')} fragment f9 on Tree { id }`;
    expect(await codeOf(gateway, bomb)).toBe('node-limit-exceeded');
    const inAliases = `{ tree { ${'...a '.repeat(16)} } } fragment a on Tree { a: id b: id }`;
    expect(await codeOf(gateway, inAliases)).toBe('alias-limit-exceeded');
  });

  test.each([
    ['repeats a field two thousand times', `{ ${'hello '.repeat(1_900)} }`],
    ['repeats a field in hundreds of inline fragments within each other', nestedInline(400)],
    ['repeats a field in hundreds of fragments', spreadOften(300)],
    ['repeats fields below repeated fields', `{ ${'tree { id id id id id id id id id id id id } '.repeat(60)} }`],
  ])('a document that %s is refused before it keeps validation busy', async (_, query) => {
    expect(await codeOf(await shared, query)).toBe('repetition-limit-exceeded');
  });

  test('that holds for what needs no token too', async () => {
    const query = PUBLIC_LOGIN.replace('success', 'success '.repeat(500));
    const { body } = await (await shared).graphql(query);
    expect(body.errors?.[0]?.extensions.code).toBe('repetition-limit-exceeded');
  });

  test('a client that accepts application/graphql-response+json gets an HTTP error status', async () => {
    const gateway = await shared;
    const accept = { accept: 'application/graphql-response+json' };
    expect((await gateway.graphql(deep(16), { token: user, headers: accept })).status).toBe(400);
  });

  test('a login is limited as well', async () => {
    const gateway = await shared;
    const logins = `mutation { ${Array.from({ length: 31 }, (_, i) => `a${i}: __typename`).join(' ')} ${PUBLIC_LOGIN.slice(11, -1)} }`;
    expect(await codeOf(gateway, logins)).toBe('alias-limit-exceeded');
    expect(forest.accounts.operations()).toHaveLength(0);
  });

  test('the query by which every tool asks for the schema passes', async () => {
    const query = getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { body } = await (await shared).graphql(query, { token: user });
    expect(body.errors).toBeUndefined();
    expect(body.data).toMatchObject({ __schema: { queryType: {} } });
  });

  test('an admin is bound by nothing but the number of tokens', async () => {
    const gateway = await shared;
    for (const query of [deep(100), aliases(200), directives(200)])
      expect(await codeOf(gateway, query, admin)).toBe('ok');
    expect(await codeOf(gateway, tokens(10_001), admin)).toBe('token-limit-exceeded');
  });

  test('each of them can be set', async () => {
    const gateway = await forest.gateway({
      environment: {
        PORTICO_MAX_DEPTH: '2',
        PORTICO_MAX_NODES: '3',
        PORTICO_MAX_ALIASES: '0',
        PORTICO_MAX_DIRECTIVES: '0',
        PORTICO_MAX_REPETITION: '3',
      },
    });
    expect(await codeOf(gateway, deep(2))).toBe('ok');
    expect(await codeOf(gateway, deep(3))).toBe('depth-limit-exceeded');
    expect(await codeOf(gateway, '{ hello hello hello }')).toBe('ok');
    expect(await codeOf(gateway, '{ hello hello hello hello }')).toBe('repetition-limit-exceeded');
    expect(await codeOf(gateway, branches(3))).toBe('ok');
    expect(await codeOf(gateway, branches(4))).toBe('node-limit-exceeded');
    expect(await codeOf(gateway, aliases(1))).toBe('alias-limit-exceeded');
    expect(await codeOf(gateway, directives(1))).toBe('directive-limit-exceeded');
  });

  test.each(['PORTICO_MAX_DEPTH', 'PORTICO_MAX_NODES'])('%s of 0 does not mean "off"', async (name) => {
    await expect(forest.gateway({ environment: { [name]: '0' } })).rejects.toThrow(`${name}`);
  });

  const shared = forest.gateway();
});

describe('with api_limits.yaml', () => {
  test('each role has its own limit, else the global one; admin has none', async () => {
    const gateway = await limited({
      depth_limit: { global: 3, per_role: { manager: 20 } },
      node_limit: { global: 4, per_role: { manager: 30 } },
    });
    expect(await codeOf(gateway, deep(3))).toBe('ok');
    expect(await codeOf(gateway, deep(4))).toBe('depth-limit-exceeded');
    expect(await codeOf(gateway, deep(20), manager)).toBe('ok');
    expect(await codeOf(gateway, deep(21), manager)).toBe('depth-limit-exceeded');
    expect(await codeOf(gateway, deep(40), admin)).toBe('ok');
    expect(await codeOf(gateway, '{ a: tree { id } b: tree { id } c: tree { id } d: tree { id } }')).toBe('ok');
    expect(await codeOf(gateway, '{ tree { branches { id } branches { id } branches { id } branches { id } } }')).toBe(
      'node-limit-exceeded',
    );
  });

  test('a document that one role may send is refused to the next, though both see the same', async () => {
    const gateway = await limited({ depth_limit: { per_role: { user: 2 } } });
    for (let times = 0; times < 2; times++) {
      expect(await codeOf(gateway, deep(3), manager)).toBe('ok');
      expect(await codeOf(gateway, deep(3), user)).toBe('depth-limit-exceeded');
    }
  });

  test('a disabled limit keeps the safe default', async () => {
    const gateway = await limited({ disabled: true, depth_limit: { global: 2 } });
    expect(await codeOf(gateway, deep(15))).toBe('ok');
    expect(await codeOf(gateway, deep(16))).toBe('depth-limit-exceeded');
  });

  test('an endpoint answers with the same code, and status 400', async () => {
    const gateway = await forest.gateway({
      metadata: {
        'api_limits.yaml': { depth_limit: { global: 2 } },
        'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'deep', query: deep(3) }] } }],
        'rest_endpoints.yaml': [
          {
            name: 'deep',
            url: 'deep',
            methods: ['GET'],
            definition: { query: { collection_name: 'saved', query_name: 'deep' } },
          },
        ],
      },
    });
    const answer = await gateway.send('/api/rest/deep', { headers: bearer(user) });
    expect(answer).toMatchObject({ status: 400, body: { code: 'depth-limit-exceeded', path: '$' } });
    expect(trees.operations()).toHaveLength(0);
  });
});

describe('a batch', () => {
  const batch = (gateway: TestGateway, count: number, token = user, query = '{ hello }') =>
    gateway.post<GraphqlBody>('/v1/graphql', Array(count).fill({ query }), bearer(token));

  const codes = async (answer: ReturnType<typeof batch>) => {
    const { status, body } = await answer;
    return [status, (body as GraphqlBody).errors?.[0]?.extensions.code];
  };

  test('holds ten operations at most, and else nothing of it is run', async () => {
    const gateway = await forest.gateway();
    expect((await batch(gateway, 10)).body).toHaveLength(10);
    forest.forget();
    expect(await codes(batch(gateway, 11))).toEqual([400, 'batch-limit-exceeded']);
    expect(trees.operations()).toHaveLength(0);
  });

  test('holds what its role may send, be that less or more than the default', async () => {
    const gateway = await limited({ batch_limit: { global: 2, per_role: { manager: 12 } } });
    expect((await batch(gateway, 2)).body).toHaveLength(2);
    forest.forget();
    expect(await codes(batch(gateway, 3))).toEqual([400, 'batch-limit-exceeded']);
    expect(await codes(batch(gateway, 13, manager))).toEqual([400, 'batch-limit-exceeded']);
    expect(trees.operations()).toHaveLength(0);
    expect((await batch(gateway, 12, manager)).body).toHaveLength(12);
    expect((await batch(gateway, 10, admin)).body).toHaveLength(10);
  });

  test('has the limit of the unauthorized role where it contains a public operation', async () => {
    const gateway = await limited({ batch_limit: { per_role: { anonymous: 1 } } });
    expect((await batch(gateway, 3)).body).toHaveLength(3);
    expect(await codes(batch(gateway, 2, user, PUBLIC_LOGIN))).toEqual([400, 'batch-limit-exceeded']);
    expect(forest.accounts.operations()).toHaveLength(0);
  });
});

describe('an operation that takes too long', () => {
  /** Never answers; tells when the gateway has hung up. */
  function silence() {
    let arrived = 0;
    let hungUp = 0;
    trees.instead = (_, response) => {
      arrived += 1;
      response.on('close', () => {
        hungUp += 1;
      });
    };
    return { arrived: () => arrived, hungUp: () => hungUp };
  }

  const LATE = { code: 'tenant-time-limit-exceeded', path: '$', reason: 'timeout' };

  test('is answered at its time limit, and the call to the service is cancelled', async () => {
    // Long enough for the call to arrive at the service on a busy machine.
    const gateway = await limited({ time_limit: { per_role: { user: 2 } } });
    const service = silence();
    const { status, body } = await gateway.graphql('mutation { plant }', { token: user });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: null,
      errors: [
        {
          message: 'the operation exceeded its time limit; a mutation may still take effect',
          extensions: LATE,
        },
      ],
    });
    await until('the service is hung up on', () => service.hungUp() === 1);
    expect(service.arrived()).toBe(1);
  });

  test('is left alone where its role has no time limit', async () => {
    const gateway = await limited({ time_limit: { per_role: { user: 0.05 } } });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    trees.instead = async (_, response) => {
      await held;
      reply(response, 200, { data: { hello: 'late' } });
    };
    const answer = gateway.graphql('{ hello }', { token: manager });
    expect(await codeOfLate(gateway)).toEqual(LATE);
    release();
    expect((await answer).body).toEqual({ data: { hello: 'late' } });
  });

  async function codeOfLate(gateway: TestGateway) {
    const { body } = await gateway.graphql('{ hello }', { token: user });
    return body.errors?.[0]?.extensions;
  }

  test('is a 504 on an endpoint', async () => {
    const gateway = await forest.gateway({
      metadata: {
        'api_limits.yaml': { time_limit: { global: 0.1 } },
        'query_collections.yaml': [{ name: 'saved', definition: { queries: [{ name: 'hi', query: '{ hello }' }] } }],
        'rest_endpoints.yaml': [
          {
            name: 'hi',
            url: 'hi',
            methods: ['GET'],
            definition: { query: { collection_name: 'saved', query_name: 'hi' } },
          },
        ],
      },
    });
    silence();
    const answer = await gateway.send('/api/rest/hi', { headers: bearer(user) });
    expect(answer).toMatchObject({ status: 504, body: { code: 'tenant-time-limit-exceeded' } });
  });

  test('is answered in full when it makes it', async () => {
    const gateway = await limited({ time_limit: { global: 30 } });
    expect((await gateway.graphql('{ hello }', { token: user })).body).toEqual({ data: { hello: 'hello' } });
  });
});
