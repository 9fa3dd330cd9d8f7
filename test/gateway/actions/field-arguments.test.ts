import { afterAll, describe, expect, test } from '@jest/globals';
import { openRicherActions } from './richer-types.ts';

const actions = await openRicherActions();
afterAll(actions.close);
const { call, received } = actions;
const sent = () => (received[0]?.body as { field_arguments?: unknown } | undefined)?.field_arguments;

describe('the handler gets the arguments of fields below the action', () => {
  test('that the operation selects, with their default values', async () => {
    const { body } = await call(
      'query ($after: ID) { a: album(id: 1) { list: photos(after: $after) { caption } } }',
      {
        photos: [{ caption: 'c' }],
      },
      { variables: { after: 'x' } },
    );
    expect(body.data).toEqual({ a: { list: [{ caption: 'c' }] } });
    expect(sent()).toEqual([{ path: ['Album.photos'], arguments: { first: 10, after: 'x' } }]);
  });

  test('through lists, fragments and unions', async () => {
    await call(
      `
      query ($no: Boolean!) {
        album {
          ...photos
          covers { ... on Photo { url(size: 3) } ... on Sketch { url(size: 4) } }
          title @skip(if: $no)
        }
      }
      fragment photos on Album { photos(first: 1) { url caption } }`,
      {},
      { variables: { no: true } },
    );
    expect(sent()).toEqual([
      { path: ['Album.photos'], arguments: { first: 1 } },
      { path: ['Album.photos', 'Photo.url'], arguments: {} },
      { path: ['Album.covers', 'Photo.url'], arguments: { size: 3 } },
      { path: ['Album.covers', 'Sketch.url'], arguments: { size: 4 } },
    ]);
  });

  test('where the value is joined with other services', async () => {
    const value = { owner_id: '7', photo: 'p' };
    const query = '{ album { big: photo(size: 3) owner { name } } }';
    expect((await call(query, value)).body).toEqual({ data: { album: { big: 'p', owner: { name: 'owner 7' } } } });
    expect(sent()).toEqual([{ path: ['Album.photo'], arguments: { size: 3 } }]);
    expect((await call('{ album { a: photo(size: 3) b: photo owner { name } } }', value)).body).toMatchObject({
      data: { album: null },
      errors: [{ path: ['album'], extensions: { code: 'validation-failed' } }],
    });
    expect(received).toHaveLength(0);
  });

  test('only if it selects such a field', async () => {
    await call(
      'query ($no: Boolean!) { album(id: 1) { title photos @include(if: $no) { caption } } }',
      {},
      { variables: { no: false } },
    );
    expect(received[0]?.body).not.toHaveProperty('field_arguments');
    await call('{ album(id: 1) { title } }', {});
    expect(received[0]?.body).not.toHaveProperty('field_arguments');
    await call('{ pet { name } }');
    expect(received[0]?.body).not.toHaveProperty('field_arguments');
  });

  test('unless the field is selected with different arguments, which one value cannot fulfil', async () => {
    const { body } = await call('{ album { a: photos(first: 1) { caption } b: photos(first: 2) { caption } } }', {});
    expect(body).toMatchObject({
      data: { album: null },
      errors: [
        {
          message:
            'the field "Album.photos" is selected with different arguments, and the action returns one value for it: use two operations',
          path: ['album'],
          extensions: { code: 'validation-failed' },
        },
      ],
    });
    expect(received).toHaveLength(0);
    const same = await call('{ album { a: photos(first: 1) { caption } b: photos(first: 1) { caption } } }', {
      photos: [],
    });
    expect(same.body.data).toEqual({ album: { a: [], b: [] } });
  });

  test('after invalid arguments were refused', async () => {
    expect((await call('{ album { photos(first: "x") { caption } } }')).body.errors).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
    expect(received).toHaveLength(0);
  });

  test('of spread fragments in bounded time', async () => {
    const levels = Array.from(
      { length: 40 },
      (_, level) =>
        `fragment f${level} on Album { ${level === 39 ? 'photos { url }' : `...f${level + 1} ...f${level + 1}`} }`,
    );
    const { body } = await call(`{ album { ...f0 ...f0 } } ${levels.join(' ')}`, { photos: [] });
    expect(body.errors ?? body.data).toBeTruthy();
  });
});
