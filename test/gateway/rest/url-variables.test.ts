import { afterAll, describe, expect, test } from '@jest/globals';
import { bearer, keeper } from '../harness/index.ts';
import { openCatalogue } from './catalogue.ts';

const { keep, close } = keeper();
afterAll(close);
const { gateway, issuer } = await keep(openCatalogue());
const headers = bearer(issuer.token());

/** What the service was given, by an endpoint that hands its variables through. */
async function given(path: string): Promise<unknown> {
  const answer = await gateway.send<{ echo?: Record<string, unknown> }>(`/api/rest/${path}`, { headers });
  if (answer.status !== 200) return answer.body;
  const { must, ...others } = answer.body.echo ?? {};
  return others;
}

const misfit = (name: string, expected: string) => ({
  path: '$',
  error: `Variable "$${name}" got an invalid value: Expected type "${expected}".`,
  code: 'validation-failed',
});

describe('one value in the query string', () => {
  test.each([
    ['text=Walls', { text: 'Walls' }],
    ['text=a+b%26c%2Bd', { text: 'a b&c+d' }],
    ['text=17', { text: '17' }],
    ['text=a,b', { text: 'a,b' }],
    // Nothing is no value where null may be.
    ['text=', {}],
    ['text', {}],
    ['must=', {}],
    ['count=17', { count: 17 }],
    ['count=-0', { count: 0 }],
    ['count=2e3', { count: 2000 }],
    ['count=', {}],
    ['price=1.5', { price: 1.5 }],
    ['price=-2e-3', { price: -0.002 }],
    ['flag=true', { flag: true }],
    ['flag=false', { flag: false }],
    ['flag=', { flag: true }],
    ['flag', { flag: true }],
    ['id=17', { id: '17' }],
    ['kind=GAME', { kind: 'GAME' }],
    ['amount=1.5', { amount: 1.5 }],
    ['amount=0.30000000000000000001', { amount: '0.30000000000000000001' }],
    ['amount=NaN', { amount: 'NaN' }],
    [`amount=1${'0'.repeat(20)}`, { amount: 1e20 }],
    ['big=17', { big: 17 }],
    ['big=9007199254740993', { big: '9007199254740993' }],
    ['filter=%7B%22name%22:%22Walls%22%7D', { filter: { name: 'Walls', kind: 'BOOK' } }],
  ])('%s gives %j', async (search, expected) => {
    expect(await given(`echo?${search}`)).toEqual(expected);
  });

  test.each([
    ['count=many', 'count', 'Int'],
    ['count=1.5', 'count', 'Int'],
    ['count=007', 'count', 'Int'],
    ['count=0x10', 'count', 'Int'],
    ['count=%2017', 'count', 'Int'],
    ['count=2147483648', 'count', 'Int'],
    ['price=1e999', 'price', 'Float'],
    ['flag=yes', 'flag', 'Boolean'],
  ])('%s is refused', async (search, name, expected) => {
    expect(await given(`echo?${search}`)).toEqual(misfit(name, expected));
  });

  test('an input object that is no JSON is refused', async () => {
    expect(await given('echo?filter=name')).toMatchObject({ code: 'validation-failed' });
    expect(await given('echo?filter=[]')).toMatchObject({ code: 'validation-failed' });
    expect(await given('echo?filter={"name":17}')).toMatchObject({ code: 'validation-failed' });
  });

  test('two values for one that is no list are refused', async () => {
    expect(await given('echo?count=1&count=2')).toEqual({
      path: '$',
      error: 'Variable count is not a list and accepts only one value',
      code: 'bad-request',
    });
    expect(await given('echo?count[]=1')).toMatchObject({ code: 'bad-request' });
  });
});

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

describe('a list', () => {
  test.each([
    // The parameter is repeated: each value is one item, whatever it holds.
    ['texts=a&texts=b,c', { texts: ['a', 'b,c'] }],
    ['texts=[1]&texts=["x"]', { texts: ['[1]', '["x"]'] }],
    ['ids=1&ids=2', { ids: ['1', '2'] }],
    ['counts=1&counts=2', { counts: [1, 2] }],
    ['kinds=BOOK&kinds=GAME', { kinds: ['BOOK', 'GAME'] }],
    ['filters={"name":"a"}&filters={}', { filters: [{ name: 'a', kind: 'BOOK' }, { kind: 'BOOK' }] }],
    ['matrix=1,2&matrix=3', { matrix: [[1, 2], [3]] }],
    // With brackets a single value is an item as well.
    ['texts[]=a', { texts: ['a'] }],
    ['texts%5B%5D=[1]', { texts: ['[1]'] }],
    ['counts[]=1&counts[]=2', { counts: [1, 2] }],
    // A JSON array.
    ['texts=["a","b,c"]', { texts: ['a', 'b,c'] }],
    ['ids=[1,"2"]', { ids: ['1', '2'] }],
    ['counts=[1,2]', { counts: [1, 2] }],
    ['counts=[]', { counts: [] }],
    ['matrix=[[1,2],[3]]', { matrix: [[1, 2], [3]] }],
    ['filters=[{"name":"a"},{}]', { filters: [{ name: 'a', kind: 'BOOK' }, { kind: 'BOOK' }] }],
    // Commas, where no item can hold one.
    ['counts=1,2,3', { counts: [1, 2, 3] }],
    ['counts=1%2C2', { counts: [1, 2] }],
    ['flags=true,false', { flags: [true, false] }],
    ['kinds=BOOK,GAME', { kinds: ['BOOK', 'GAME'] }],
    [`uuids=${ID},${ID}`, { uuids: [ID, ID] }],
    ['amounts=1.5,2', { amounts: [1.5, 2] }],
    // Where items may hold commas, a comma is a part of the item.
    ['texts=a,b', { texts: ['a,b'] }],
    ['ids=1,2', { ids: ['1,2'] }],
    ['texts=[a', { texts: ['[a'] }],
    // One value is a list of one.
    ['texts=a', { texts: ['a'] }],
    ['counts=1', { counts: [1] }],
    ['filters={"name":"a"}', { filters: [{ name: 'a', kind: 'BOOK' }] }],
    // Nothing is no value where null may be.
    ['texts=', {}],
    ['texts=&texts=', { texts: ['', ''] }],
  ])('%s gives %j', async (search, expected) => {
    expect(await given(`echo?${search}`)).toEqual(expected);
  });

  test('nothing is the empty list where null may not be', async () => {
    expect(await given('needy?text=x&counts=')).toEqual({ text: 'x', counts: [] });
  });

  test('an item that does not fit is refused', async () => {
    expect(await given('echo?counts=1,x')).toEqual({
      path: '$',
      error: 'Variable "$counts" got an invalid value at "1": Expected type "Int".',
      code: 'validation-failed',
    });
    expect(await given('echo?counts=1,,2')).toMatchObject({ code: 'validation-failed' });
    expect(await given('echo?texts=[1]')).toMatchObject({ code: 'validation-failed' });
  });
});

describe('a value in the path', () => {
  test.each([
    ['echo/Walls', { text: 'Walls' }],
    ['echo/a%2Fb%20c+d', { text: 'a/b c+d' }],
    ['echo/caf%C3%A9', { text: 'café' }],
    ['echo/counts/1,2', { counts: [1, 2] }],
    ['echo/counts/[1,2]', { counts: [1, 2] }],
    ['echo/texts/a,b', { texts: ['a,b'] }],
    ['echo/texts/["a","b"]', { texts: ['a', 'b'] }],
  ])('%s gives %j', async (path, expected) => {
    expect(await given(path)).toEqual(expected);
  });

  test('wins over the query string', async () => {
    expect(await given('echo/Walls?text=Doors&count=1')).toEqual({ text: 'Walls', count: 1 });
  });

  test('that cannot be decoded leads nowhere', async () => {
    expect(await given('echo/%E0%A4%A')).toEqual({ path: '$', error: 'Endpoint not found', code: 'not-found' });
  });
});

test('a variable that the operation does not declare is refused by name', async () => {
  expect(await given('echo?colour=red')).toEqual({
    path: '$',
    error: 'Unexpected variable colour',
    code: 'bad-request',
  });
  expect(await given('echo?__proto__=red')).toMatchObject({ error: 'Unexpected variable __proto__' });
  expect(await given('echo?constructor=red')).toMatchObject({ error: 'Unexpected variable constructor' });
});
