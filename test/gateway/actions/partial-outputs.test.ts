import { describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { checkedPartialOutput } from '../../../gateway/sources/actions/job-progress.ts';
import {
  type ActionWebhook,
  excessProblem,
  resolveAbstractTypes,
} from '../../../gateway/sources/actions/webhook/index.ts';

const schema = resolveAbstractTypes(
  buildSchema(`
    type Query { export: Export }
    type Export { items: [Item] next: Plain }
    union Item = Row
    type Row { id: ID }
    type Plain { next: Plain }
  `),
);
const outputType = schema.getType('Export') as GraphQLObjectType;
const checked = new Set(['Item', 'Export']);
const action = { outputType, excessProblem: excessProblem(outputType, checked) } as unknown as ActionWebhook;

describe('a partial output', () => {
  test('keeps what its type declares', () => {
    const output = { items: [{ __typename: 'Row', id: '1', more: 2 }], other: 3 };
    expect(checkedPartialOutput(action, output)).toEqual({ output: { items: [{ __typename: 'Row', id: '1' }] } });
  });

  test('is refused with more invalid values than a response may have', () => {
    const items = Array.from({ length: 101 }, () => ({ __typename: 'Nothing' }));
    expect(checkedPartialOutput(action, { items })).toEqual({ problem: expect.stringMatching(/more than 100 values/) });
  });

  test('is refused if it is nested too deeply', () => {
    let next: Record<string, never> = {};
    for (let depth = 0; depth < 50_000; depth++) next = { next } as unknown as Record<string, never>;
    expect(checkedPartialOutput(action, { next })).toEqual({ problem: 'the output is nested too deeply' });
  });
});
