import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, openGateway } from '../harness/index.ts';
import { INPUTS, openPresetWorld } from './preset-world.ts';

const { keep, close } = keeper();
afterAll(close);

const ARGUMENTS = {
  int: 'Int',
  float: 'Float',
  flag: 'Boolean',
  id: 'ID',
  text: 'String',
  kind: 'Kind',
  ints: '[Int!]',
  texts: '[String]',
  json: 'Json',
};
type Argument = keyof typeof ARGUMENTS;

/** A part with one preset of an argument of `values`. */
const valuePart = (argument: Argument, preset: string) =>
  `type Query { values(${argument}: ${ARGUMENTS[argument]} @preset(${preset})): String } ${INPUTS}`;

const FIXED: readonly [Argument, literal: string, value: unknown][] = [
  ['int', '-3', -3],
  ['float', '1.5', 1.5],
  ['float', '2', 2],
  ['flag', 'false', false],
  ['id', '"a-1"', 'a-1'],
  ['id', '7', '7'],
  ['text', '"say \\"hi\\""', 'say "hi"'],
  ['text', 'null', null],
  ['kind', 'OLD', 'OLD'],
  ['kind', '"OLD"', 'OLD'],
  ['ints', '[1, 2]', [1, 2]],
  ['ints', '[]', []],
  ['texts', '["a", null]', ['a', null]],
  ['json', '{ a: [1, "x", { b: null }] }', { a: [1, 'x', { b: null }] }],
];

const CLAIMED: readonly [Argument, claim: unknown, value: unknown][] = [
  ['int', '42', 42],
  ['int', -2147483648, -2147483648],
  ['float', '1e3', 1000],
  ['float', 0.25, 0.25],
  ['flag', 'true', true],
  ['flag', false, false],
  ['id', '7', '7'],
  ['text', 'Zoë, "7" {x}', 'Zoë, "7" {x}'],
  ['text', '', ''],
  ['kind', 'NEW', 'NEW'],
  ['ints', '[1,2]', [1, 2]],
  ['ints', '{1,2}', [1, 2]],
  ['ints', [1, 2], [1, 2]],
  ['ints', '{}', []],
  ['texts', '["a","b c"]', ['a', 'b c']],
  ['texts', ['a,b', 'c "d"\\', '', null], ['a,b', 'c "d"\\', '', null]],
  ['texts', '{a, b c ,"d,e"}', ['a', 'b c', 'd,e']],
  ['json', '{"a":1}', '{"a":1}'],
];

const MISFITS: readonly [Argument, claim: unknown][] = [
  ['int', 'seven'],
  ['int', '1.5'],
  ['int', '2147483648'],
  ['int', ''],
  ['float', 'NaN'],
  ['float', ' '],
  ['flag', 'yes'],
  ['kind', 'ANCIENT'],
  ['kind', 'toString'],
  ['ints', '7'],
  ['ints', '[1,"x"]'],
  ['ints', '[1,null]'],
  ['ints', '{1,}'],
  ['texts', '{a"b}'],
];
const world = await openPresetWorld([
  ...FIXED.map(([argument, literal], index) => [`fixed-${index}`, valuePart(argument, `value: ${literal}`)] as const),
  ...Object.keys(ARGUMENTS).map(
    (argument) => [`claim-${argument}`, valuePart(argument as Argument, 'value: "X-Hasura-Claim"')] as const,
  ),
  ['literal', valuePart('text', 'value: "x-hasura-claim", static: true')],
  ['tenant', 'type Query { needed(tenant: Int! @preset(value: "x-hasura-tenant-id")): String }'],
]);
afterAll(world.close);
const { issuer, upstream, ask, got } = world;
beforeEach(() => upstream.forget());

describe('a preset of a fixed value', () => {
  test.each(FIXED.map(([argument, literal, value], index) => [argument, literal, value, index] as const))(
    'of the argument %s: %s',
    async (argument, _, value, index) => {
      expect(await got(`fixed-${index}`, '{ values }')).toEqual({ values: { [argument]: value } });
    },
  );

  test('may be the name of a session variable', async () => {
    expect(await got('literal', '{ values }')).toEqual({ values: { text: 'x-hasura-claim' } });
  });
});

describe('a preset of a session variable', () => {
  test.each(CLAIMED)('as %s: %j', async (argument, claim, value) => {
    const received = await got(`claim-${argument}`, '{ values }', {}, { 'x-hasura-claim': claim });
    expect(received).toEqual({ values: { [argument]: value } });
  });

  test.each(MISFITS)('that is no %s is reported without its value: %j', async (argument, claim) => {
    const body = await ask(`claim-${argument}`, '{ values }', {}, { 'x-hasura-claim': claim });
    expect(body).toEqual({
      data: { values: null },
      errors: [
        expect.objectContaining({
          message: `the session variable "x-hasura-claim" is not valid for the type ${ARGUMENTS[argument]}`,
          path: ['values'],
          extensions: { path: '$', code: 'unexpected', service: 'shop' },
        }),
      ],
    });
    expect(upstream.operations()).toHaveLength(0);
  });

  test('that is missing is reported, and the service is not called', async () => {
    const body = await ask('claim-text', '{ values }');
    expect(body.errors).toMatchObject([
      {
        message: 'missing session variable: "x-hasura-claim"',
        extensions: { path: '$', code: 'not-found', service: 'shop' },
      },
    ]);
    expect(upstream.operations()).toHaveLength(0);
  });

  test.each(['x-hasura-toString', 'x-hasura-__proto__'])('that no session has is missing: %s', async (name) => {
    const schema = `type Query { values(text: String @preset(value: "${name}")): String }`;
    const remote = {
      name: 'shop',
      definition: { url: upstream.graphqlUrl },
      permissions: [{ role: 'user', definition: { schema } }],
    };
    const odd = await keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] } }));
    expect((await odd.graphql('{ values }', { token: issuer.token() })).text).toContain('missing session variable');
  });

  test('is the caller’s own, also when two callers send the same', async () => {
    const tenants = [1, 2, 3, 4];
    const answers = await Promise.all(
      tenants.map((tenant) => got('tenant', '{ needed }', {}, { 'x-hasura-tenant-id': tenant })),
    );
    expect(answers).toEqual(tenants.map((tenant) => ({ needed: { tenant } })));
    expect(new Set(upstream.operations().map(({ body }) => body.query)).size).toBe(1);
  });
});
