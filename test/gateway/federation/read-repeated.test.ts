import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileReadRepeated, reusingMemory, type Sharing } from '../../../gateway/planning/joins/sharing/index.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const PADDING = ' '.repeat(16 * 1024);
const LONG = 'long enough to be worth a mark in the reply';

const place = (key: string, idKey?: string, below: Sharing['places'] = []): Sharing['places'][number] => ({
  key,
  idKey,
  leaves: [],
  below,
  pool: 0,
});

/** People in a list with a pet, and friends with pets. The owner of a pet may be shared too. `meta` is a scalar. */
const SHARING: Sharing = {
  share: undefined,
  places: [place('people', undefined, [pets(), place('friends', 'id', [pets()])])],
  sharedKeys: new Set(['pet', 'owner']),
  otherKeys: new Set(['people', 'friends']),
};

function pets() {
  return place('pet', 'id', [place('owner', 'id')]);
}

function readerOf(sharing = SHARING) {
  const read = compileReadRepeated([{ key: undefined, sharing }]);
  if (!read) throw new TypeError('there are shared keys');
  const join = reusingMemory();
  return (text: string | Buffer) => read([Buffer.from(text), Buffer.from(PADDING)], join);
}

const pet = (id: string, more: Json = LONG) => ({ id, name: `pet ${id}`, more, owner: { id: 'o', name: LONG } });

const reply = (people: readonly Json[]) => JSON.stringify({ data: { people } });

test('equal texts of one place become one object, those of two places two', () => {
  const one = {
    id: '1',
    pet: pet('a'),
    friends: [
      { id: '2', pet: pet('a') },
      { id: '3', pet: pet('b') },
    ],
  };
  const text = reply([one, { ...one, id: '4' }, { ...one, id: '5', pet: pet('b') }]);
  const value = readerOf()(text) as never as {
    data: { people: { pet: { owner: object }; friends: { pet: object }[] }[] };
  };
  expect(JSON.stringify(value)).toBe(text);
  const [first, second, third] = value.data.people;
  expect(first?.pet).toBe(second?.pet);
  expect(first?.pet).not.toBe(third?.pet);
  expect(first?.pet.owner).toBe(third?.pet.owner);
  expect(first?.friends[0]?.pet).toBe(second?.friends[0]?.pet);
  expect(first?.friends[0]?.pet).not.toBe(first?.pet);
});

const TWICE = (text: string) => `{"data":{"people":[{"pet":${text}},{"pet":${text}}]}}`;
const PET = JSON.stringify(pet('a'));

describe('a reply is parsed as usual', () => {
  test.each([
    ['if it is short', 'short'],
    ['if a mark would be inside a scalar', `{"data":{"people":[{"meta":{"x":1,"pet":${PET}}},{"pet":${PET}}]}}`],
    ['if a mark would be at a field that is not selected', `{"data":{"people":[],"x":{"a":1,"pet":${PET}}}}`],
    ['if a mark would be in the extensions', `{"data":{"people":[]},"extensions":{"pet":${PET}}}`],
    ['if there are two members of one key', `{"data":{"people":[{"pet":${PET},"pet":${PET}}]}}`],
    ['if the last of two members is null', `{"data":{"people":[{"pet":${PET},"pet":null}]}}`],
    ['if there are errors', `{"data":{"people":[{"pet":${PET}}]},"errors":[{"message":"m"}]}`],
    ['if a marked object is not JSON', TWICE(`{"id":"a","name":oops,"more":"${LONG}"}`)],
    ['if a marked object is not closed', TWICE(`{"id":"a","more":"${LONG}"`)],
    ['if brackets do not match', TWICE(`{"id":"a","more":["${LONG}"}]`)],
    ['if a text contains a line break', TWICE(`{"id":"a","more":"${LONG}\n"}`)],
    ['if it ends within a marked object', `{"data":{"people":[{"pet":${PET},"x":{"y":1,"pet":${PET.slice(0, -9)}`],
  ])('%s', (_, text) => {
    expect(readerOf()(text === 'short' ? '{"data":null}' : text)).toBeUndefined();
  });

  test('for some time after a mark could not be replaced', () => {
    const read = readerOf();
    const ok = TWICE(PET);
    expect(read(ok)).toEqual(JSON.parse(ok));
    expect(read(`{"data":{"people":[]},"extensions":{"pet":${PET}}}`)).toBeUndefined();
    const until = Array.from({ length: 100 }, () => read(ok)).findIndex((value) => value !== undefined);
    expect(until).toBeGreaterThan(10);
    expect(read(ok)).toEqual(JSON.parse(ok));
  });

  test('if nothing is worth it', () => {
    const distinct = Array.from({ length: 400 }, (_, at) => ({ id: `${at}`, pet: pet(`${at}`) }));
    const text = reply(distinct);
    expect(readerOf()(text) ?? JSON.parse(text)).toEqual(JSON.parse(text));
  });
});

test.each([
  ['escapes', `{"id":"a\\"pet\\":{","more":"\\\\","x":"${LONG}\\u0041\\ud83d\\ude00"}`],
  ['a text that looks like a member', `{"id":"a","more":"{\\"pet\\":{\\"id\\":1}} ${LONG}"}`],
  ['a key that looks like one', `{"id":"a","x\\"pet":{"id":1},"more":"${LONG}"}`],
  ['huge numbers', `{"id":"a","n":1e999,"m":-1e999,"x":12345678901234567890,"more":"${LONG}"}`],
  ['members of the prototype', `{"id":"a","__proto__":{"id":"b"},"constructor":{"x":1},"more":"${LONG}"}`],
  ['two members of one key', `{"id":"a","id":"b","more":"${LONG}"}`],
  ['wrong types', `{"id":{"id":[]},"owner":["${LONG}"],"more":7}`],
  ['white space', `{ "id" : "a" , "more" : "${LONG}" }`],
  ['nothing', '{}'],
])('a repeated object may contain %s', (_, text) => {
  const whole = TWICE(text);
  const value = readerOf()(whole);
  expect(JSON.stringify(value ?? JSON.parse(whole))).toBe(JSON.stringify(JSON.parse(whole)));
  if (text.length > 60) expect(value).toBeDefined();
});

test('broken UTF-8 reads as it does elsewhere', () => {
  const bytes = Buffer.from(TWICE(`{"id":"a","more":"é${LONG}😀"}`));
  for (let at = 0; at < bytes.length; at++)
    for (const byte of [0xc3, 0xff, 0xf0, 0x80]) {
      const broken = Buffer.from(bytes);
      broken[at] = byte;
      expectSame(readerOf(), broken);
    }
});

const values: fc.Memo<Json> = fc.memo((depth) =>
  depth <= 1
    ? fc.constantFrom<Json>(null, true, 1, 'pet', '"pet":{', `\\ é${LONG}`, [], {})
    : fc.oneof(
        { withCrossShrink: true },
        values(1),
        fc.array(values(), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('id', 'pet', 'owner', 'friends', 'people', 'meta', '__proto__', 'x"pet'),
          values(),
          { maxKeys: 5 },
        ),
        fc.constantFrom(pet('a'), pet('b'), pet('a', { pet: pet('b') })),
      ),
);
const PIECES = ['"', '\\', '{', '}', '[', ']', ',', ':', '"pet":{', ',"pet":', '1', ' ', '\n', 'null', '\u00e9'];

/** A reader gives what parsing gives, or nothing. */
function expectSame(read: ReturnType<typeof readerOf>, bytes: Buffer): void {
  const value = read(bytes);
  if (value === undefined) return;
  const expected = JSON.parse(bytes.toString());
  expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
  expect(value).toEqual(expected);
}

const RUNS = Number(process.env.FEDERATION_RUNS ?? 300);

test('a reply reads as if it were parsed, whatever it contains', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom('id', 'pet', 'friends', 'meta'), values(4)), { maxLength: 4 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...PIECES)), { maxLength: 2 }),
      (people, edits) => {
        const twice = [...people, ...people, { id: '1', pet: pet('a') }];
        expectSame(readerOf(), Buffer.from(reply(twice)));
        if (readerOf()(reply(twice))) read++;
        let text = reply(twice);
        for (const [where, left, piece] of edits) {
          const at = where % text.length;
          text = text.slice(0, at) + piece + text.slice(at + left);
        }
        expectSame(readerOf(), Buffer.from(text));
      },
    ),
    { numRuns: RUNS, ...(process.env.TEST_SEED && { seed: Number(process.env.TEST_SEED) }) },
  );
  expect(read).toBeGreaterThan(RUNS / 8);
});

test('levels that only differ inside take no longer than the reply is long', () => {
  const level = (depth: number): string => `{"id":"${depth}","pet":${depth > 0 ? level(depth - 1) : '1'}}`;
  const deep = level(4_000);
  const took = (text: string) => {
    const began = performance.now();
    readerOf()(text);
    return performance.now() - began;
  };
  took(TWICE(deep));
  expect(took(TWICE(deep))).toBeLessThan(200);
});
