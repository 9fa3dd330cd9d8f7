import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { keeper, until } from '../harness/index.ts';
import { STORE } from './drawers.ts';
import { file, HEADERS, map, operations, type Part } from './multipart.ts';
import { openWorld } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const { drawers, plain, upload, authorized } = await keep(openWorld());
beforeEach(() => drawers.forget());

describe('files are refused', () => {
  const SENT = [operations(STORE, { file: null }), map({ 0: ['variables.file'] })];
  const noFile = { begun: 0, aborted: 0, finished: 0 };

  test('that are too large, and the service does not get a whole one', async () => {
    const { status, body } = await upload([...SENT, file('0', 'x'.repeat(1_000_001))]);
    expect(status).toBe(413);
    expect(body.errors).toMatchObject([
      {
        message: 'a file of more than 1000000 bytes: the upload is too large',
        extensions: { code: 'payload-too-large' },
      },
    ]);
    await until('the service is told', () => drawers.counts().aborted === 1);
    expect(drawers.counts().finished).toBe(0);
  });

  test('that are too many', async () => {
    const places = Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, ['variables.file']]));
    const { status, body } = await upload([SENT[0] as Part, map({ ...places, a: ['variables.file'] })]);
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([400, 'bad-request']);
    const input = { files: [null, null, null, null] };
    const each = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((key, index) => [key, [`variables.input.files.${index}`]]),
    );
    const many = await upload([
      operations('mutation ($input: Bundle!) { storeAll(input: $input) { digest } }', { input }),
      map(each),
    ]);
    expect([many.status, many.body.errors?.[0]?.message]).toEqual([413, 'more than 3 files: the upload is too large']);
  });

  test('that are announced and do not come', async () => {
    const { status, body } = await upload(SENT);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ message: '1 of the files that "map" names did not come' }]);
    await until('the service is told', () => drawers.counts().aborted === 1);
  });

  test.each<[string, readonly Part[], string]>([
    ['before the operation', [file('0', 'x'), ...SENT], 'expected "operations", then "map", then the files'],
    ['without a map', [SENT[0] as Part, file('0', 'x')], 'expected "operations", then "map", then the files'],
    [
      'for a place that there is not',
      [SENT[0] as Part, map({ 0: ['variables.photo'] }), file('0', 'x')],
      'every path of "map" must lead to a null in the variables of one operation',
    ],
    [
      'for a place in the prototype of things',
      [SENT[0] as Part, map({ 0: ['variables.__proto__.file'] }), file('0', 'x')],
      'every path of "map" must lead to a null in the variables of one operation',
    ],
    [
      'for a place outside of the variables',
      [
        { name: 'operations', content: JSON.stringify({ query: STORE, variables: {}, extensions: { file: null } }) },
        map({ 0: ['extensions.file'] }),
        file('0', 'x'),
      ],
      'every path of "map" must lead to a null in the variables of one operation',
    ],
    [
      'with a map of another shape',
      [SENT[0] as Part, map({ 0: 'variables.file' })],
      '"map" must be an object of lists of paths, such as {"0":["variables.file"]}',
    ],
    ['with broken JSON', [{ name: 'operations', content: '{' }, SENT[1] as Part], '"operations" is not valid JSON'],
  ])('%s', async (_, parts, message) => {
    const { status, body } = await upload(parts);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ message }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('by operations that other services have a part in', async () => {
    const { status, body } = await upload([
      operations('query ($f: Upload!) { size(file: $f) hello }', { f: null }),
      map({ 0: ['variables.f'] }),
      file('0', 'four'),
    ]);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'not-supported' } }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('by services that have no scalar for them', async () => {
    const { body } = await upload([
      operations('query ($f: JSON) { echo(value: $f) }', { f: null }),
      map({ 0: ['variables.f'] }),
      file('0', 'four'),
    ]);
    expect(body.errors).toMatchObject([{ extensions: { code: 'not-supported' } }]);
    expect(plain.operations()).toHaveLength(0);
  });

  test('where the variable is no file', async () => {
    const { body } = await upload([
      operations(STORE, { file: null, title: null }),
      map({ 0: ['variables.file'], 1: ['variables.title'] }),
      file('0', 'four'),
      file('1', 'title'),
    ]);
    expect(body.errors).toMatchObject([{ message: 'Variable "$title" got an invalid value: Expected type "String".' }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test.each([
    ['in the place of what is preset', { file: null, preset_0: null }, ['variables.file', 'variables.preset_0']],
    [
      'in a variable that the operation does not declare',
      { file: null, other: null },
      ['variables.file', 'variables.other'],
    ],
  ])('%s', async (_, variables, places) => {
    const { body } = await upload(
      [
        operations('mutation ($file: Upload!) { store(file: $file) { title } }', variables),
        map({ 0: places }),
        file('0', 'four'),
      ],
      authorized('labelled'),
    );
    expect(body.errors).toMatchObject([{ extensions: { code: 'not-supported' } }]);
    expect(drawers.counts()).toEqual(noFile);
  });

  test('that any web page could have made a browser send', async () => {
    const parts = [...SENT, file('0', 'x')];
    const foreign = await upload(parts, { ...HEADERS, origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.errors?.[0]?.extensions.code]).toEqual([403, 'access-denied']);
    const asked = await upload(parts, { ...HEADERS, 'apollo-require-preflight': 'true' });
    expect(asked.status).toBe(401);
    expect(drawers.counts()).toEqual(noFile);
  });
});
