import { AsyncResource } from 'node:async_hooks';
import { expect, test } from '@jest/globals';

/** What instances of `AsyncLocalStorage` hold here: Node keeps it at each resource that is made, promises included. */
function heldHere(): unknown[] {
  const resource = new AsyncResource('test') as unknown as Record<symbol, unknown>;
  const stores = Object.getOwnPropertySymbols(resource).filter(({ description }) => description === 'kResourceStore');
  return stores.map((store) => resource[store]).filter((held) => held !== undefined);
}

test('the runner of the tests has Node observe no promises', () => {
  expect(heldHere()).toEqual([]);
});

test.each([1, 2])('a matcher knows the test that it is in, %i', (number) => {
  expect(expect.getState().currentTestName).toBe(`a matcher knows the test that it is in, ${number}`);
});
