import { describe, expect, test } from '@jest/globals';
import { holds, listItems } from '../../../gateway/access/variables/index.ts';
import { problemsOfShape, sessionCondition } from '../../../gateway/metadata/shapes/index.ts';

const isMet = (written: unknown, variables: Readonly<Record<string, string>>) =>
  holds(sessionCondition.parse(written), variables);
const problemsOf = (written: unknown) => {
  const { error } = sessionCondition.safeParse(written);
  return error ? problemsOfShape(error).map(({ path, message }) => `${path.join('.')}: ${message}`) : [];
};
const plan = (operators: object) => ({ 'x-hasura-plan': operators });

describe('an operator', () => {
  test.each<[object, string, boolean]>([
    [{ _eq: 'pro' }, 'pro', true],
    [{ _eq: 'pro' }, 'Pro', false],
    [{ _eq: 'pro' }, ' pro', false],
    [{ _eq: 'pro' }, '["pro"]', false],
    [{ _eq: 'pro' }, '{"pro"}', false],
    [{ _eq: 3 }, '3', true],
    [{ _eq: 3 }, '3.0', false],
    [{ _eq: true }, 'true', true],
    [{ _eq: 'café' }, 'cafe\u0301', false],
    [{ _ne: 'free' }, 'pro', true],
    [{ _ne: 'free' }, 'free', false],
    [{ _in: ['pro', 'team'] }, 'team', true],
    [{ _in: ['pro', 'team'] }, 'pro,team', false],
    [{ _in: ['pro', 'team'] }, '', false],
    [{ _nin: ['free'] }, 'pro', true],
    [{ _nin: ['free', 'old'] }, 'old', false],
    [{ _gt: 5 }, '6', true],
    [{ _gt: 5 }, '5', false],
    [{ _gte: 5 }, '5.0', true],
    [{ _gte: 5 }, '05', true],
    [{ _lt: 0 }, '-0.5', true],
    [{ _lte: 0 }, '0', true],
    [{ _gte: 1, _lt: 10 }, '9', true],
    [{ _gte: 1, _lt: 10 }, '10', false],
    [{ _contains: 'a' }, '{"a","b"}', true],
    [{ _contains: 'a' }, '["a", "b"]', true],
    [{ _contains: ['a', 'b'] }, '{b,a}', true],
    [{ _contains: ['a', 'c'] }, '{b,a}', false],
    [{ _contains: 7 }, '[7]', true],
    [{ _contains: 'a' }, '[["a"]]', false],
    [{ _contains: 'NULL' }, '{NULL}', false],
    [{ _is_null: false }, '', true],
    [{ _is_null: true }, '', false],
  ])('%j of the text %j', (operators, text, expected) => {
    expect(isMet(plan(operators), { 'x-hasura-plan': text })).toBe(expected);
  });

  test.each([
    '1e3',
    ' 7',
    '7 ',
    '+7',
    '0x10',
    '7.',
    '.7',
    'Infinity',
    'NaN',
    '',
    '٧',
    '1_000',
    '9007199254740993',
    '--7',
  ])('that compares numbers holds for no other notation, negated or not: %j', (text) => {
    for (const operators of [{ _gt: 1 }, { _lt: 1 }, { _gte: 1 }, { _lte: 1 }]) {
      expect(isMet(plan(operators), { 'x-hasura-plan': text })).toBe(false);
      expect(isMet({ _not: plan(operators) }, { 'x-hasura-plan': text })).toBe(false);
    }
  });

  test.each([
    'pro',
    '{',
    '{a',
    'a}',
    '{a,}',
    '{,a}',
    '[',
    '["a"',
    '{"a": 1}',
    '{a"b}',
    'null',
    '[9007199254740993]',
    '[1e400]',
  ])('that looks into a list holds for no other text, negated or not: %j', (text) => {
    expect(isMet(plan({ _contains: 'a' }), { 'x-hasura-plan': text })).toBe(false);
    expect(isMet({ _not: plan({ _contains: 'a' }) }, { 'x-hasura-plan': text })).toBe(false);
  });
});

describe('a missing variable', () => {
  test.each([
    { _eq: 'pro' },
    { _ne: 'pro' },
    { _in: ['pro'] },
    { _nin: ['pro'] },
    { _gt: 0 },
    { _lte: 0 },
    { _contains: 'pro' },
    { _is_null: false },
  ])('satisfies neither %j nor, where the value counts, its negation', (operators) => {
    expect(isMet(plan(operators), {})).toBe(false);
    if (!('_is_null' in operators)) expect(isMet({ _not: plan(operators) }, {})).toBe(false);
  });

  test('satisfies only that it is missing', () => {
    expect(isMet(plan({ _is_null: true }), {})).toBe(true);
    expect(isMet({ _not: plan({ _is_null: false }) }, {})).toBe(true);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('is not found in a prototype: %s', (name) => {
    const variables = Object.create({ 'x-hasura-plan': 'pro', [`x-hasura-${name}`]: 'pro' });
    expect(isMet(plan({ _eq: 'pro' }), variables)).toBe(false);
    expect(isMet({ [`x-hasura-${name}`]: { _is_null: false } }, variables)).toBe(false);
  });
});

describe('combinations', () => {
  const pro = plan({ _eq: 'pro' });
  const seats = { 'x-hasura-seats': { _gte: 5 } };

  test.each<[object, Record<string, string>, boolean]>([
    [{ ...pro, ...seats }, { 'x-hasura-plan': 'pro', 'x-hasura-seats': '5' }, true],
    [{ ...pro, ...seats }, { 'x-hasura-plan': 'pro' }, false],
    [{ _and: [pro, seats] }, { 'x-hasura-plan': 'pro', 'x-hasura-seats': '4' }, false],
    [{ _or: [pro, seats] }, { 'x-hasura-seats': '5' }, true],
    [{ _or: [pro, seats] }, { 'x-hasura-seats': '4' }, false],
    [{ _not: { _or: [pro, seats] } }, { 'x-hasura-seats': '4' }, false],
    [{ _not: { _or: [pro, seats] } }, { 'x-hasura-plan': 'free', 'x-hasura-seats': '4' }, true],
    [{ _not: { _and: [pro, seats] } }, { 'x-hasura-seats': '4' }, true],
    [{ _not: { _not: pro } }, { 'x-hasura-plan': 'pro' }, true],
    [{ 'X-Hasura-Plan': { _eq: 'pro' } }, { 'x-hasura-plan': 'pro' }, true],
  ])('%j for %j', (written, variables, expected) => {
    expect(isMet(written, variables)).toBe(expected);
  });
});

describe('a mistake is named where it is', () => {
  test.each<[unknown, string]>([
    [undefined, ': expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }'],
    [{}, ': expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }'],
    [[], ': expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }'],
    ['pro', ': expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }'],
    [{ _orr: [] }, '_orr: unknown key "_orr": did you mean "_or"?'],
    [{ _some: [] }, '_some: unknown key "_some": expected one of _and, _or, _not'],
    [{ _or: [] }, '_or: expected a list of at least one condition'],
    [{ _and: plan({ _eq: 1 }) }, '_and: expected a list of at least one condition'],
    [{ _or: [{}] }, '_or.0: expected a condition on a session variable, such as x-hasura-plan: { _in: [pro, team] }'],
    [
      { _eq: 'pro' },
      '_eq: the operator "_eq" is written below the name of a session variable, such as x-hasura-plan: { _in: [pro, team] }',
    ],
    [
      { plan: { _eq: 'pro' } },
      'plan: "plan" is not a session variable, whose name begins with "x-hasura-" and has letters, digits, - and _ only',
    ],
    [
      { 'x-hasura-tas\u212a': { _eq: 'pro' } },
      'x-hasura-tas\u212a: "x-hasura-tas\u212a" is not a session variable, whose name begins with "x-hasura-" and has letters, digits, - and _ only',
    ],
    [plan({ _int: ['pro'] }), 'x-hasura-plan._int: unknown operator "_int": did you mean "_in"?'],
    [plan({ _exists: true }), 'x-hasura-plan._exists: unknown operator "_exists": did you mean "_is_null"?'],
    [
      plan({ __proto: 'pro' }),
      'x-hasura-plan.__proto: unknown operator "__proto": expected one of _eq, _ne, _in, _nin, _gt, _gte, _lt, _lte, _contains, _is_null',
    ],
    [plan({ constructor: 'pro' }), expect.stringContaining('unknown operator "constructor"') as unknown as string],
    [{ 'x-hasura-plan': 'pro' }, 'x-hasura-plan: expected { _eq: pro }'],
    [plan({}), 'x-hasura-plan: expected operators such as { _eq: pro }'],
    [plan({ _in: 'pro' }), 'x-hasura-plan._in: expected a list: [pro]'],
    [plan({ _in: [] }), 'x-hasura-plan._in: expected a list of at least one text'],
    [plan({ _in: [['pro']] }), 'x-hasura-plan._in: expected a text, a number, true or false'],
    [plan({ _eq: null }), 'x-hasura-plan._eq: expected a text, a number, true or false'],
    [plan({ _eq: ['pro'] }), 'x-hasura-plan._eq: expected a text, a number, true or false'],
    [plan({ _eq: 2 ** 60 }), 'x-hasura-plan._eq: a number this large loses digits: write it in quotes'],
    [
      plan({ _eq: 'X-Hasura-Owner' }),
      'x-hasura-plan._eq: session variables cannot be compared with each other: expected a fixed text',
    ],
    [plan({ _gt: '5' }), 'x-hasura-plan._gt: expected a number'],
    [plan({ _gt: 1e21 }), 'x-hasura-plan._gt: expected a number of at most 15 digits'],
    [plan({ _gt: Number.NaN }), 'x-hasura-plan._gt: expected a number of at most 15 digits'],
    [plan({ _contains: [] }), 'x-hasura-plan._contains: expected a text, or a list of at least one text'],
    [plan({ _is_null: 'yes' }), 'x-hasura-plan._is_null: expected true or false'],
  ])('%j', (written, problem) => {
    expect(problemsOf(written)).toEqual([problem]);
  });

  test('each of several', () => {
    expect(problemsOf({ _not: plan({ _gt: 'x' }), 'x-hasura-b': { _inn: [] } })).toHaveLength(2);
  });
});

describe('a list in a session variable', () => {
  test.each<[string, unknown]>([
    ['{}', []],
    ['{ }', []],
    ['[]', []],
    ['{a,b}', ['a', 'b']],
    ['{ a , "b c" }', ['a', 'b c']],
    ['{"a\\"b","c\\\\d",""}', ['a"b', 'c\\d', '']],
    ['{NULL,"NULL"}', [null, 'NULL']],
    ['["a",1,null,true,{"b":[]}]', ['a', '1', null, 'true', '{"b":[]}']],
    ['{a}b}', undefined],
    ['{"a"b}', undefined],
    ['{"a"', undefined],
    ['plain', undefined],
  ])('%j', (text, items) => {
    expect(listItems(text)).toEqual(items);
  });

  test('takes a time in proportion to its length', () => {
    const texts = [' ', '"', '\\', ',', 'a ', '" ', '{'].map((part) => `{${part.repeat(500_000)}"`);
    const startedAt = performance.now();
    for (const text of texts) expect(listItems(`${text}}`)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
