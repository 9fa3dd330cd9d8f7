import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer } from '../harness/index.ts';
import { openRicherActions } from './richer-types.ts';

const actions = await openRicherActions();
afterAll(actions.close);
const { call, received } = actions;

const refused = (path: unknown = expect.anything()) => ({ extensions: { code: 'validation-failed', path } });

describe('an input object with `@oneOf`', () => {
  test.each([
    ['two keys', '{ id: 1, name: "x" }', { id: 1, name: 'x' }],
    ['no key', '{}', {}],
    ['a null key', '{ id: null }', { id: null }],
    ['a null key beside another', '{ id: 1, name: null }', { id: 1, name: null }],
    ['two keys below', '{ owner: { id: 1, name: "x" } }', { owner: { id: 1, name: 'x' } }],
  ])('is refused with %s, in a literal and in a variable', async (_, literal, variable) => {
    const written = await call(`{ found(by: ${literal}) { name } }`);
    expect(written.body.errors).toMatchObject([refused()]);
    const sent = await call('query ($by: PetBy!) { found(by: $by) { name } }', null, { variables: { by: variable } });
    expect(sent.body.errors).toMatchObject([refused()]);
    expect(received).toHaveLength(0);
  });

  test('is refused with a nullable variable for its key', async () => {
    const { body } = await call('query ($id: ID) { found(by: { id: $id }) { name } }', null, { variables: { id: 1 } });
    expect(body.errors).toMatchObject([refused()]);
    expect(received).toHaveLength(0);
  });

  test('reaches the handler with its one key', async () => {
    await call('{ found(by: { name: "x" }) { name } }');
    expect(received[0]?.body).toMatchObject({ input: { by: { name: 'x' } } });
    await call('query ($id: ID!) { found(by: { id: $id }) { name } }', null, { variables: { id: 'a' } });
    expect(received[0]?.body).toMatchObject({ input: { by: { id: 'a' } } });
    await call('query ($by: PetBy!) { found(by: $by) { name } }', null, { variables: { by: { owner: { id: 'a' } } } });
    expect(received[0]?.body).toMatchObject({ input: { by: { owner: { id: 'a' } } } });
  });

  test('is shown by introspection', async () => {
    const { body } = await call(
      '{ by: __type(name: "PetBy") { isOneOf } line: __type(name: "StockLine") { isOneOf } }',
    );
    expect(body.data).toEqual({ by: { isOneOf: true }, line: { isOneOf: false } });
  });
});

describe('a checked scalar in an input', () => {
  test.each([
    ['a text that does not match', '"abc-1"', 'abc-1', 'must match the pattern ^[A-Z]{3}-\\d+$'],
    ['a text that is too long', '"ABC-12345678"', 'ABC-12345678', 'must have at most 10 characters'],
    ['a number', '1', 1, 'must be a string'],
    ['an object', '{ a: 1 }', { a: 1 }, 'must be a string'],
    ['a list', '["ABC-1"]', ['ABC-1'], 'must be a string'],
    ['a megabyte', `"${'A'.repeat(100_000)}"`, 'A'.repeat(900_000), 'must have at most 10 characters'],
  ])('is refused when it is %s', async (_, literal, variable, message) => {
    const written = await call(`{ stock(sku: ${literal}) { score } }`);
    expect(written.body.errors).toEqual([
      {
        message: `Argument "sku" got an invalid value: A value of type "Sku" ${message}.`,
        locations: [{ line: 1, column: 14 }],
        extensions: { code: 'validation-failed', path: '$' },
      },
    ]);
    const sent = await call('query ($sku: Sku) { stock(sku: $sku) { score } }', null, { variables: { sku: variable } });
    expect(sent.body.errors).toMatchObject([
      { message: `Variable "$sku" got an invalid value: A value of type "Sku" ${message}.`, ...refused() },
    ]);
    expect(received).toHaveLength(0);
  });

  test('is refused where a service has a scalar of the same name', async () => {
    for (const [query, variables] of [
      ['{ stocked(sku: "x") }', {}],
      ['query ($sku: Sku) { stocked(sku: $sku) }', { sku: 'x' }],
      ['query ($sku: Sku) { stocked(sku: $sku) sku }', { sku: 'x' }],
    ] as const)
      expect((await call(query, 'ABC-1', { variables })).body.errors).toMatchObject([refused()]);
    expect((await call('{ stocked(sku: "ABC-1") }')).body).toEqual({ data: { stocked: null } });
  });

  test('is refused with its place', async () => {
    const query = 'query ($line: StockLine, $skus: [Sku!]) { stock(line: $line, skus: $skus) { score } }';
    const { body } = await call(query, null, { variables: { line: { sku: 'x' }, skus: ['ABC-1', 'y'] } });
    expect(body.errors?.map(({ message }) => message)).toEqual([
      'Variable "$line" got an invalid value at "sku": A value of type "Sku" must match the pattern ^[A-Z]{3}-\\d+$.',
      'Variable "$skus" got an invalid value at "1": A value of type "Sku" must match the pattern ^[A-Z]{3}-\\d+$.',
    ]);
    expect(JSON.stringify(body)).not.toContain('"y"');
  });

  test('is refused outside of its range, and where it is no number', async () => {
    for (const literal of ['0', '5.1', '"3"', 'true', 'LOW', '1e400'])
      expect((await call(`{ stock(score: ${literal}) { score } }`)).body.errors).toMatchObject([refused()]);
    expect(received).toHaveLength(0);
  });

  test('is refused over REST, and reaches the handler as a number', async () => {
    await call('{ sku }', { must: 'ABC-1' });
    received.length = 0;
    const get = (query: string) =>
      actions.gateway.send(`/api/rest/rated?${query}`, { headers: bearer(actions.tokenOf('user')) });
    expect(await get('score=6')).toMatchObject({ status: 400, body: { code: 'validation-failed' } });
    expect(await get('score=x')).toMatchObject({ status: 400 });
    expect(await get('score=3&sku=x')).toMatchObject({ status: 400 });
    expect(received).toHaveLength(0);
    expect(await get('score=4.5&sku=ABC-2')).toMatchObject({ status: 200, body: { stock: { must: 'ABC-1' } } });
    expect(received[0]?.body).toMatchObject({ input: { score: 4.5, sku: 'ABC-2' } });
  });

  test('reaches the handler where it is allowed, with default values', async () => {
    await call('{ stock(sku: "ABC-7", line: {}) { score } }');
    expect(received[0]?.body).toMatchObject({
      input: { sku: 'ABC-7', score: 5, line: { sku: 'ABC-1' }, unit: 'piece' },
    });
    await call('query ($score: Score) { stock(score: $score) { score } }', null, { variables: { score: 2.5 } });
    expect(received[0]?.body).toMatchObject({ input: { score: 2.5 } });
  });
});

describe('a checked scalar in a response', () => {
  const message = 'A value of type "Sku" must match the pattern ^[A-Z]{3}-\\d+$.';
  const must = 'ABC-1';

  test('is null with an error where it does not fit', async () => {
    const { status, body } = await call('{ stock { sku must score others } }', {
      sku: 'x',
      must,
      score: 9,
      others: [must],
    });
    expect([status, body.data]).toEqual([200, { stock: { sku: null, must, score: null, others: [must] } }]);
    expect(body.errors).toMatchObject([
      { message, path: ['stock', 'sku'], extensions: { code: 'unexpected' } },
      { message: 'A value of type "Score" must be at most 5.', path: ['stock', 'score'] },
    ]);
    expect((await call('{ sku }', 'x')).body).toMatchObject({
      data: { sku: null },
      errors: [{ message, path: ['sku'] }],
    });
  });

  test('takes its nullable parent with it where null is not allowed', async () => {
    const { body } = await call('{ stock { must others } }', { must, others: [must, 'x'] });
    expect(body.data).toEqual({ stock: { must, others: null } });
    expect(body.errors).toMatchObject([{ message, path: ['stock', 'others', 1] }]);
    expect((await call('{ stock { must } }', { must: 5 })).body).toMatchObject({
      data: { stock: null },
      errors: [{ message: 'A value of type "Sku" must be a string.', path: ['stock', 'must'] }],
    });
  });

  test('is not checked where it is not selected', async () => {
    expect((await call('{ stock { score } }', { must, sku: 'x', score: 3 })).body).toEqual({
      data: { stock: { score: 3 } },
    });
  });
});

test('descriptions and deprecations are shown by introspection', async () => {
  const query = `{
    sku: __type(name: "Sku") { description }
    stock: __type(name: "Stock") { fields(includeDeprecated: true) { name deprecationReason } }
    line: __type(name: "StockLine") { inputFields(includeDeprecated: true) { name deprecationReason defaultValue } }
    state: __type(name: "State") { enumValues(includeDeprecated: true) { name description deprecationReason } }
    query: __type(name: "Query") { fields { name args(includeDeprecated: true) { name defaultValue deprecationReason } } }
  }`;
  const { data } = (await call(query)).body as { data: Record<string, unknown> };
  expect(data).toMatchObject({
    sku: { description: 'Three letters and a number' },
    stock: { fields: expect.arrayContaining([{ name: 'old', deprecationReason: 'use score' }]) },
    line: {
      inputFields: [
        { name: 'sku', deprecationReason: null, defaultValue: '"ABC-1"' },
        { name: 'score', deprecationReason: null, defaultValue: null },
        { name: 'old', deprecationReason: 'No longer supported', defaultValue: null },
      ],
    },
    state: {
      enumValues: [
        { name: 'FULL', description: null, deprecationReason: null },
        { name: 'LOW', description: 'no longer', deprecationReason: 'use EMPTY' },
        { name: 'EMPTY', description: null, deprecationReason: null },
      ],
    },
  });
  const { query: root } = data as { query: { fields: { name: string; args: unknown }[] } };
  expect(root.fields.find(({ name }) => name === 'stock')?.args).toEqual(
    expect.arrayContaining([
      { name: 'score', defaultValue: '5', deprecationReason: null },
      { name: 'unit', defaultValue: '"piece"', deprecationReason: 'all are pieces' },
    ]),
  );
});
