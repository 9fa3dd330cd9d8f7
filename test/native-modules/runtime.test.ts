import { expect, test } from '@jest/globals';
import { asyncStorageLeavesMarks, asyncStorageMarks } from '../async-storage-marks.ts';

if (asyncStorageLeavesMarks())
  test('the runner of the tests has Node observe no promises', () => {
    expect(asyncStorageMarks().filter((held) => held !== undefined)).toEqual([]);
  });
else test.todo('NOT TESTED WITH THIS NODE: that the runner of the tests has it observe no promises');

test.each([1, 2])('a matcher knows the test that it is in, %i', (number) => {
  expect(expect.getState().currentTestName).toBe(`a matcher knows the test that it is in, ${number}`);
});
