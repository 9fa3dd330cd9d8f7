import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestGateway } from '../harness/index.ts';
import { type Forest, openForest } from './service.ts';

let forest: Forest;
let gateway: TestGateway;

beforeAll(async () => {
  forest = await openForest();
  gateway = await forest.gateway();
});
afterAll(() => forest.close());
beforeEach(() => forest.forget());

const ask = (query: string, variables?: unknown, accept = 'multipart/mixed; deferSpec=20220824, application/json') =>
  gateway.graphql(query, { token: forest.issuer.token(), variables, headers: { accept } });

describe('what may come in parts comes in one piece', () => {
  test.each([
    ['multipart/mixed; deferSpec=20220824, application/json'],
    ['multipart/mixed;boundary="-";deferSpec=20220824,application/json'],
    ['application/json'],
  ])('for a client that accepts %s', async (accept) => {
    const query =
      '{ tree { id ... @defer { next { id } } branches @stream(initialCount: 0, label: "b") { ...T @defer(label: "t") } } } fragment T on Tree { id }';
    const { status, headers, body } = await ask(query, undefined, accept);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({ data: { tree: { id: '1', next: { id: '1' }, branches: [{ id: '1' }] } } });
  });

  test('and the service is not asked with what it does not know', async () => {
    const query =
      'query ($late: Boolean!, $n: Int, $skipped: Boolean!) { tree { id ...T @defer(if: $late) branches @stream(if: $late, initialCount: $n) @skip(if: $skipped) { id } } } fragment T on Tree { next { ... @defer(if: $late) { id } } }';
    const { body } = await ask(query, { late: true, n: 1, skipped: true });
    expect(body).toEqual({ data: { tree: { id: '1', next: { id: '1' } } } });
    expect(forest.trees.operations().map(({ body: { query: text, variables } }) => [text, variables])).toEqual([
      [
        'query($skipped:Boolean!){tree{id ...T branches@skip(if:$skipped){id}}}fragment T on Tree{next{...{id}}}',
        { skipped: true },
      ],
    ]);
  });

  test('also where several sources answer, and introspection does not list @defer', async () => {
    const { body } = await ask('{ ... @defer { hello } __schema { directives { name } } }');
    const names = ['include', 'skip', 'deprecated', 'specifiedBy', 'oneOf'].map((name) => ({ name }));
    expect(body).toEqual({ data: { hello: 'hello', __schema: { directives: expect.arrayContaining(names) } } });
    expect(JSON.stringify(body)).not.toContain('defer');
  });

  test.each([
    ['{ tree @defer { id } }', 'Directive "@defer" may not be used on FIELD.'],
    ['{ tree { ... @stream { id } } }', 'Directive "@stream" may not be used on INLINE_FRAGMENT.'],
    ['{ tree { ... @defer(when: true) { id } } }', 'Unknown argument "when" on directive "@defer".'],
    [
      'query ($n: String) { tree { branches @stream(initialCount: $n) { id } } }',
      'Variable "$n" of type "String" used in position expecting type "Int".',
    ],
  ])('%s is refused', async (query, message) => {
    expect((await ask(query)).body.errors).toMatchObject([{ message }]);
    expect(forest.trees.operations()).toHaveLength(0);
  });
});
