import { describe, expect, test } from '@jest/globals';
import { CASES } from './cases/index.ts';
import { openProductEngine } from './product-engine.ts';
import { openCase, problemOf } from './run-case.ts';

describe.each(CASES.map((one) => [one.name, one] as const))('%s', (_, one) => {
  const ways = one.ways ?? (['composed', 'supergraph'] as const);
  const tried = ways.flatMap((way) => one.operations.map(({ text }, at) => [way, text, at] as const));
  test.each(tried)('%s: %s', async (way, _text, at) => {
    const operation = one.operations[at];
    if (!operation) throw new TypeError('no operation');
    const problem = await openCase(one, way, openProductEngine)
      .then((opened) => problemOf(opened, operation).finally(() => opened.engine.close()))
      .catch((error: unknown) => ({ error }));
    expect(problem).toBeUndefined();
  });
});
