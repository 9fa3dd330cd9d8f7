import { expect, test } from '@jest/globals';
import { LastAnswer } from '../../../gateway/sources/opening/remote-schema.ts';

function asking() {
  const last = new LastAnswer<{ readonly read: string }>();
  return (body: string, inUse?: { readonly read: string }) =>
    last.open(
      async (isKnown) => (isKnown(body) ? undefined : body),
      (read) => {
        if (read === 'nonsense') throw new Error('it is no schema');
        return { read };
      },
      (opened) => (inUse?.read === opened.read ? inUse : opened),
    );
}

test('an answer of the same bytes as the last one is what that was opened as', async () => {
  const answer = asking();
  const first = await answer('one');
  expect(await answer('one')).toBe(first);
  const second = await answer('two');
  expect(second).toEqual({ read: 'two' });
  expect(await answer('one')).toEqual({ read: 'one' });
});

test('what does not open is not known the next time', async () => {
  const answer = asking();
  const first = await answer('one');
  await expect(answer('nonsense')).rejects.toThrow('it is no schema');
  await expect(answer('nonsense')).rejects.toThrow('it is no schema');
  expect(await answer('one')).toBe(first);
});

test('a reopened source reuses the schema that is in use', async () => {
  const answer = asking();
  const inUse = { read: 'one' };
  expect(await answer('one', inUse)).toBe(inUse);
  expect(await answer('one')).toBe(inUse);
  expect(await answer('two', inUse)).toEqual({ read: 'two' });
});
